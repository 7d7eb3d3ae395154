// commands PORT QOS ROUNDS CAMERA_TOPIC: zoom commands to an agent, one in flight.
//
// A round is over when the state with the commanded factor, the agent's final answer and, at QoS 1, the
// broker's acknowledgement of the command are here.
#include "peer.h"

/// No round takes longer, in nanoseconds. An agent under valgrind is 50 times as slow as usual.
static const int64_t timeout = INT64_C(30000000000);

static char set_topic[256], state_topic[256], reply_topic[256];
/// What the running round waits for.
static struct {
    char factor[32];
    bool has_state, has_answer;
} awaited;

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context;
    char text[4096];
    payload_text(message, text, sizeof text);

    if (strcmp(message->topic, reply_topic) == 0) {
        if (strstr(text, "\"error\"")) die("the agent refused", text);
        if (strstr(text, "\"done\"")) awaited.has_answer = true;
    } else if (strstr(text, awaited.factor)) {
        awaited.has_state = true;
    }
}

static void command(struct mosquitto *bus, const char *factor, int qos) {
    char payload[64];
    int length = snprintf(payload, sizeof payload, "{\"factor\":%s}", factor);
    snprintf(awaited.factor, sizeof awaited.factor, "\"factor\":%s,", factor);
    awaited.has_state = awaited.has_answer = false;

    int id;
    int64_t began = now_ns();
    check(mosquitto_publish(bus, &id, set_topic, length, payload, qos, false), "publish");
    while (!awaited.has_state || !awaited.has_answer || last_published != id) {
        step(bus, 1000);
        if (now_ns() - began > timeout) die(set_topic, "no state or no answer in 30 s");
    }
}

int main(int count, char **arguments) {
    if (count != 5) die("usage", "commands PORT QOS ROUNDS CAMERA_TOPIC");
    int qos = (int)number(arguments[2], "QOS", 0, 1);
    long rounds = number(arguments[3], "ROUNDS", 1, 1000000);
    snprintf(state_topic, sizeof state_topic, "%s/zoom", arguments[4]);
    snprintf(set_topic, sizeof set_topic, "%s/zoom/set", arguments[4]);
    snprintf(reply_topic, sizeof reply_topic, "%s/zoom/reply", arguments[4]);

    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, state_topic, qos);
    subscribe_to(bus, reply_topic, qos);
    for (long round = 0; round < rounds; round++) command(bus, round % 2 == 0 ? "2.5" : "3.75", qos);
    mosquitto_disconnect(bus);
    return 0;
}
