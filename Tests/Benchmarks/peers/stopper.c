// stopper PORT CAMERA_TOPIC INTERVAL_MS MOST: sends {"stop":true} to the zoom at QoS 1, one each interval
// whether the ones before are answered or not, until it has sent MOST or gets SIGTERM; then waits for the
// answers, half a minute at most. Prints `ID SENT ANSWERED` for each stop, the times in nanoseconds. A stop
// that is refused, or not answered, is a failure.
#include "peer.h"

enum { at_most = 10000 };

static struct {
    int64_t sent, answered;
} stops[at_most];
static long sent, answered;

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    int64_t now = now_ns();
    (void)bus, (void)context;
    char text[4096];
    int length = snprintf(text, sizeof text, "%.*s", message->payloadlen, (const char *)message->payload);
    const char *id = strstr(text, "\"stop-");
    if (length >= (int)sizeof text || !id) return;
    if (!strstr(text, "\"done\"")) die("a stop was refused", text);
    long index = strtol(id + strlen("\"stop-"), NULL, 10);
    if (index < 0 || index >= sent || stops[index].answered) die("an answer to no stop", text);
    stops[index].answered = now;
    answered++;
}

/// Goes on with the bus until the time, in nanoseconds, or until SIGTERM or all answers, if one waits for
/// that.
static void go_on(struct mosquitto *bus, int64_t until, bool all_answered) {
    int64_t left;
    while ((all_answered ? answered < sent : !told_to_end) && (left = until - now_ns()) > 0)
        step(bus, (int)(left / 1000000) + 1);
}

int main(int count, char **arguments) {
    if (count != 5) die("usage", "stopper PORT CAMERA_TOPIC INTERVAL_MS MOST");
    int64_t interval = number(arguments[3], "INTERVAL_MS", 1, 60000) * INT64_C(1000000);
    long most = number(arguments[4], "MOST", 1, at_most);
    char set_topic[256], reply_topic[256], payload[128];
    snprintf(set_topic, sizeof set_topic, "%s/zoom/set", arguments[2]);
    snprintf(reply_topic, sizeof reply_topic, "%s/zoom/reply", arguments[2]);
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, reply_topic, 1);
    puts("ready");

    while (sent < most && !told_to_end) {
        int length = snprintf(
            payload, sizeof payload, "{\"stop\":true,\"client\":\"stopper\",\"id\":\"stop-%ld\"}", sent);
        stops[sent].sent = now_ns();
        check(mosquitto_publish(bus, NULL, set_topic, length, payload, 1, false), "publish");
        sent++;
        go_on(bus, stops[sent - 1].sent + interval, false);
    }
    go_on(bus, now_ns() + INT64_C(30000000000), true);
    if (answered < sent) die("stop", "not all were answered within 30 s");
    for (long index = 0; index < sent; index++)
        printf("stop-%ld %" PRId64 " %" PRId64 "\n", index, stops[index].sent, stops[index].answered);
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
