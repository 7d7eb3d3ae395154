// CMosquitto: connects to a broker, and gets its own message back. Arguments: port, and 4 or 5 for the
// protocol.
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <string.h>

#include "samples.h"

enum { length = 70001 };
static int received;

static void connected(struct mosquitto *client, void *context, int code) {
    (void)context;
    require(code == 0, "connect");
    require(mosquitto_subscribe(client, NULL, "portability/#", 2) == MOSQ_ERR_SUCCESS, "subscribe");
}

static void subscribed(struct mosquitto *client, void *context, int message, int count, const int *granted) {
    (void)context, (void)message;
    require(count == 1 && granted[0] == 2, "granted");
    uint8_t *bytes = make_samples(length, 11);
    require(mosquitto_publish(client, NULL, "portability/message", length, bytes, 2, false) == MOSQ_ERR_SUCCESS, "publish");
    free(bytes);
}

static void message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)context;
    printf("%s qos %d ", message->topic, message->qos);
    print("payload", checksum(message->payload, (size_t)message->payloadlen));
    received = message->payloadlen == length;
    mosquitto_disconnect(client);
}

int main(int count, char **arguments) {
    require(count == 3, "a port and a protocol");
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    require(client != NULL, "client");
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, atoi(arguments[2]));
    mosquitto_connect_callback_set(client, connected);
    mosquitto_subscribe_callback_set(client, subscribed);
    mosquitto_message_callback_set(client, message);
    require(mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 30) == MOSQ_ERR_SUCCESS, "connection");
    require(mosquitto_loop_forever(client, 1000, 1) == MOSQ_ERR_SUCCESS, "loop");
    require(received, "message");
    mosquitto_destroy(client);
    mosquitto_lib_cleanup();
}
