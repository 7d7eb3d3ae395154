// tap PORT COUNTED TOPIC…: subscribes to all of the topics at QoS 1 and prints `NANOSECONDS RETAINED TOPIC
// PAYLOAD` for each message the moment it comes, but only counts those that the filter COUNTED matches (`-`
// for none). At SIGTERM it prints `counted N`.
#include "peer.h"

static const char *counted_topic;
static long counted;

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    int64_t now = now_ns();
    (void)bus, (void)context;
    bool is_counted;
    check(mosquitto_topic_matches_sub(counted_topic, message->topic, &is_counted), counted_topic);
    if (is_counted) {
        counted++;
        return;
    }
    printf("%" PRId64 " %d %s %.*s\n", now, message->retain, message->topic, message->payloadlen,
        message->payload ? (const char *)message->payload : "");
}

int main(int count, char **arguments) {
    if (count < 4) die("usage", "tap PORT COUNTED TOPIC…");
    counted_topic = arguments[2];
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    for (int index = 3; index < count; index++) subscribe_to(bus, arguments[index], 1);
    puts("ready");
    while (!told_to_end) step(bus, 1000);
    printf("counted %ld\n", counted);
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
