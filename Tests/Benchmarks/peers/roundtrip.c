// roundtrip PORT QOS ROUNDS WARMUP CAMERA_TOPIC: times commands to an agent's zoom and to the echo, in turns, and
// prints a line `agent NANOSECONDS` or `echo NANOSECONDS` for each round after the warm-up.
//
// A round's time runs from just before the publish to the state that carries the commanded factor. The round is over
// only when the agent's answer has come too and the broker has acknowledged the command, so that one peer's leftovers
// don't burden the other's round.
#include "peer.h"

/// No round takes longer, in nanoseconds.
static const int64_t patience = INT64_C(5000000000);

static char agent_set[256], agent_state[256], agent_reply[256];
/// What the running round waits for.
static struct {
    const char *state_topic;
    double factor;
    int64_t state_at;
    bool answered;
} awaited;

/// The value of a number field of a JSON text, or NaN. The name is looked for with its quotes; it must occur once.
static double field(const char *text, const char *quoted_name) {
    const char *found = strstr(text, quoted_name);
    if (!found) return __builtin_nan("");
    found += strlen(quoted_name);
    found += strspn(found, " :");
    return strtod(found, NULL);
}

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    int64_t now = now_ns();
    (void)bus, (void)context;
    char text[4096];
    size_t length = (size_t)message->payloadlen;
    if (length >= sizeof text) die(message->topic, "a longer payload than any state has");
    memcpy(text, message->payload, length);
    text[length] = 0;

    if (strcmp(message->topic, agent_reply) == 0) {
        if (strstr(text, "\"error\"")) die("the agent refused", text);
        if (strstr(text, "\"done\"")) awaited.answered = true;
    } else if (awaited.state_topic && strcmp(message->topic, awaited.state_topic) == 0 && !message->retain) {
        double difference = field(text, "\"factor\"") - awaited.factor;
        if (difference > -1e-6 && difference < 1e-6 && !awaited.state_at) awaited.state_at = now;
    }
}

/// Commands a factor and returns how long its state took, in nanoseconds.
/// - state_topic: where the state comes; NULL to wait for the answer alone.
static int64_t command(
    struct mosquitto *bus, const char *set_topic, const char *state_topic, bool answers, double factor, int qos
) {
    char payload[64];
    int length = snprintf(payload, sizeof payload, "{\"factor\":%.2f}", factor);
    awaited.state_topic = state_topic;
    awaited.factor = factor;
    awaited.state_at = 0;
    awaited.answered = !answers;

    int id;
    int64_t began = now_ns();
    check(mosquitto_publish(bus, &id, set_topic, length, payload, qos, false), "publish");
    while ((state_topic && !awaited.state_at) || !awaited.answered || last_published != id) {
        step(bus, 1000);
        if (now_ns() - began > patience)
            die(set_topic, !awaited.answered ? "no answer in 5 s" : "no state with the commanded factor in 5 s");
    }
    return awaited.state_at - began;
}

int main(int count, char **arguments) {
    if (count != 6) die("usage", "roundtrip PORT QOS ROUNDS WARMUP CAMERA_TOPIC");
    int qos = (int)number(arguments[2], "QOS", 0, 1);
    long rounds = number(arguments[3], "ROUNDS", 1, 1000000), warmup = number(arguments[4], "WARMUP", 0, 100000);
    snprintf(agent_state, sizeof agent_state, "%s/zoom", arguments[5]);
    snprintf(agent_set, sizeof agent_set, "%s/zoom/set", arguments[5]);
    snprintf(agent_reply, sizeof agent_reply, "%s/zoom/reply", arguments[5]);
    int64_t *agent = calloc((size_t)rounds, sizeof *agent), *echo = calloc((size_t)rounds, sizeof *echo);
    if (!agent || !echo) die("memory", strerror(errno));

    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, agent_state, qos);
    subscribe_to(bus, agent_reply, qos);
    subscribe_to(bus, "echo/state", qos);

    // From wherever the zoom was, to a factor that no round uses: from here on each command is a change.
    command(bus, agent_set, NULL, true, 1.25, qos);
    for (long round = -warmup; round < rounds; round++) {
        double factor = round % 2 == 0 ? 2.5 : 3.75;
        int64_t ours = command(bus, agent_set, agent_state, true, factor, qos);
        int64_t theirs = command(bus, "echo/set", "echo/state", false, factor, qos);
        if (round < 0) continue;
        agent[round] = ours;
        echo[round] = theirs;
    }
    for (long round = 0; round < rounds; round++)
        printf("agent %" PRId64 "\necho %" PRId64 "\n", agent[round], echo[round]);
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
