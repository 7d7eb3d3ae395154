// names PORT COMMANDS CAMERA_TOPIC: a flood of zoom commands at QoS 0, each with another client name, as fast
// as the broker takes them. Prints `BEGAN ENDED`, the times in nanoseconds.
#include "peer.h"

static void ignore(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context, (void)message;
}

int main(int count, char **arguments) {
    if (count != 4) die("usage", "names PORT COMMANDS CAMERA_TOPIC");
    long commands = number(arguments[2], "COMMANDS", 1, 10000000);
    char topic[256], payload[256];
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), ignore);
    snprintf(topic, sizeof topic, "%s/zoom/set", arguments[3]);

    int64_t began = now_ns();
    for (long sent = 0; sent < commands; sent++) {
        int length = snprintf(
            payload, sizeof payload, "{\"factor\":%ld.5,\"client\":\"name-%ld\"}", 1 + sent % 7, sent);
        check(mosquitto_publish(bus, NULL, topic, length, payload, 0, false), "publish");
        for (int turn = 0; mosquitto_want_write(bus); turn++) {
            if (turn == 1000000) die("publish", "the broker takes nothing any more");
            step(bus, 1000);
        }
    }
    printf("%" PRId64 " %" PRId64 "\n", began, now_ns());
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
