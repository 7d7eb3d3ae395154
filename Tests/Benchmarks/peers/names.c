// names PORT COMMANDS RATE CAMERA_TOPIC: a flood of zoom commands at QoS 0, each with another client name, so
// many a second. Prints `BEGAN ENDED`, the times in nanoseconds.
#include "peer.h"

static void ignore(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context, (void)message;
}

int main(int count, char **arguments) {
    if (count != 5) die("usage", "names PORT COMMANDS RATE CAMERA_TOPIC");
    long commands = number(arguments[2], "COMMANDS", 1, 10000000);
    long rate = number(arguments[3], "RATE", 1, 10000000);
    char topic[256], payload[256];
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), ignore);
    snprintf(topic, sizeof topic, "%s/zoom/set", arguments[4]);

    int64_t began = now_ns();
    for (long sent = 0; sent < commands; sent++) {
        // A millisecond's share at once: poll(2) is not more precise.
        int64_t due = began + sent * INT64_C(1000000000) / rate;
        for (int64_t left; (left = due - now_ns()) > 1000000;) step(bus, (int)(left / 1000000));
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
