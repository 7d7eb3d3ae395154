// responder PORT QOS CAMERA_TOPIC: answers zoom commands with the two messages of the agent, the retained
// state (QoS 1) and the answer, in the same order and of the same size. It decides nothing: the least that a
// libmosquitto program can do to send them.
#include "peer.h"

static int qos;
static char set_topic[256], state_topic[256], reply_topic[256];
static long rev = 20000000;

static void publish(struct mosquitto *bus, const char *topic, const char *text, int length, int at_qos, bool retain) {
    check(mosquitto_publish(bus, NULL, topic, length, text, at_qos, retain), "publish");
}

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)context;
    char command[64], text[1024];
    if (message->payloadlen <= 0 || (size_t)message->payloadlen >= sizeof command) die(message->topic, "a longer command");
    memcpy(command, message->payload, (size_t)message->payloadlen);
    command[message->payloadlen] = 0;
    double factor;
    if (sscanf(command, "{\"factor\":%lf}", &factor) != 1) die("no factor", command);

    rev++;
    int length = snprintf(
        text, sizeof text,
        "{\"factor\":%g,\"target\":%g,\"ramping\":false,\"min\":1,\"max\":8,\"position\":0.440643,\"optical\":1,"
        "\"digital\":%g,\"viewport\":{\"x\":0.366667,\"y\":0.366667,\"width\":0.266667,\"height\":0.266667},"
        "\"rev\":%ld,\"boot\":1,\"origin\":{\"kind\":\"command\"},\"ts\":\"2026-11-22T07:30:00.000Z\"}",
        factor, factor, factor, rev);
    publish(bus, state_topic, text, length, 1, true);
    length = snprintf(
        text, sizeof text,
        "{\"camera\":\"door\",\"node\":\"zoom\",\"status\":\"done\",\"rev\":%ld,\"boot\":1,\"factor\":%g,\"target\":%g,"
        "\"ts\":\"2026-11-22T07:30:00.000Z\"}",
        rev, factor, factor);
    publish(bus, reply_topic, text, length, qos, false);
}

int main(int count, char **arguments) {
    if (count != 4) die("usage", "responder PORT QOS CAMERA_TOPIC");
    qos = (int)number(arguments[2], "QOS", 0, 1);
    snprintf(set_topic, sizeof set_topic, "%s/zoom/set", arguments[3]);
    snprintf(state_topic, sizeof state_topic, "%s/zoom", arguments[3]);
    snprintf(reply_topic, sizeof reply_topic, "%s/zoom/reply", arguments[3]);
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, set_topic, qos);
    puts("ready");
    while (!told_to_end) step(bus, 1000);
    mosquitto_disconnect(bus);
    return 0;
}
