// echo PORT QOS: sends each payload from echo/set back on echo/state. The least that a libmosquitto program
// can do with a command: what the broker, the kernel and the library cost, and nothing else.
#include "peer.h"

static int qos;

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)context;
    int code = mosquitto_publish(bus, NULL, "echo/state", message->payloadlen, message->payload, qos, false);
    check(code, "publish");
}

int main(int count, char **arguments) {
    if (count != 3) die("usage", "echo PORT QOS");
    qos = (int)number(arguments[2], "QOS", 0, 1);
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, "echo/set", qos);
    puts("ready");
    while (!told_to_end) step(bus, 1000);
    mosquitto_disconnect(bus);
    return 0;
}
