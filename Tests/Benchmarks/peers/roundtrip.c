// roundtrip PORT QOS ROUNDS WARMUP CAMERA_TOPIC RESPONDER_TOPIC: times commands to an agent's zoom, to the
// responder and to the echo, in turns, and prints a line `agent NANOSECONDS`, `responder NANOSECONDS` or
// `echo NANOSECONDS` for each round after the warm-up.
//
// A round's time runs from just before the publish to the state that carries the commanded factor. The round
// is over only when the answer has come too and the broker has acknowledged the command, so that one peer's
// leftovers don't burden the other's round. The echo does not answer.
#include "peer.h"

/// No round takes longer, in nanoseconds.
static const int64_t timeout = INT64_C(5000000000);

/// What is timed.
struct subject {
    const char *name;
    char set[256], state[256], reply[256];
    int64_t *times;
};

/// What the running round waits for.
static struct {
    const struct subject *subject;
    double factor;
    int64_t state_at;
    bool answered;
} awaited;

/// The value of a number field of a JSON text, or NaN. The name is looked for with its quotes; it must occur
/// once.
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
    payload_text(message, text, sizeof text);

    const struct subject *subject = awaited.subject;
    if (!subject) return;
    if (strcmp(message->topic, subject->reply) == 0) {
        if (strstr(text, "\"error\"")) die("refused", text);
        if (strstr(text, "\"done\"")) awaited.answered = true;
    } else if (strcmp(message->topic, subject->state) == 0 && !message->retain) {
        double difference = field(text, "\"factor\"") - awaited.factor;
        if (difference > -1e-6 && difference < 1e-6 && !awaited.state_at) awaited.state_at = now;
    }
}

/// Commands a factor and returns how long its state took, in nanoseconds.
static int64_t command(struct mosquitto *bus, const struct subject *subject, double factor, int qos) {
    char payload[64];
    int length = snprintf(payload, sizeof payload, "{\"factor\":%.2f}", factor);
    awaited.subject = subject;
    awaited.factor = factor;
    awaited.state_at = 0;
    awaited.answered = !*subject->reply;

    int id;
    int64_t began = now_ns();
    check(mosquitto_publish(bus, &id, subject->set, length, payload, qos, false), "publish");
    while (!awaited.state_at || !awaited.answered || last_published != id) {
        step(bus, 1000);
        if (now_ns() - began > timeout)
            die(subject->set, !awaited.answered ? "no answer in 5 s" : "no state with the commanded factor in 5 s");
    }
    return awaited.state_at - began;
}

static void name_topics(struct subject *subject, const char *camera) {
    snprintf(subject->set, sizeof subject->set, "%s/zoom/set", camera);
    snprintf(subject->state, sizeof subject->state, "%s/zoom", camera);
    snprintf(subject->reply, sizeof subject->reply, "%s/zoom/reply", camera);
}

int main(int count, char **arguments) {
    if (count != 7) die("usage", "roundtrip PORT QOS ROUNDS WARMUP CAMERA_TOPIC RESPONDER_TOPIC");
    int qos = (int)number(arguments[2], "QOS", 0, 1);
    long rounds = number(arguments[3], "ROUNDS", 1, 1000000), warmup = number(arguments[4], "WARMUP", 0, 100000);
    static struct subject subjects[] = {
        {.name = "agent"}, {.name = "responder"}, {.name = "echo", .set = "echo/set", .state = "echo/state"}};
    enum { subject_count = sizeof subjects / sizeof *subjects };
    name_topics(&subjects[0], arguments[5]);
    name_topics(&subjects[1], arguments[6]);

    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    for (int index = 0; index < subject_count; index++) {
        subjects[index].times = calloc((size_t)rounds, sizeof *subjects[index].times);
        if (!subjects[index].times) die("memory", strerror(errno));
        subscribe_to(bus, subjects[index].state, qos);
        if (*subjects[index].reply) subscribe_to(bus, subjects[index].reply, qos);
    }

    // From any zoom to a factor that no round uses, by way of another one: each command is a change then.
    command(bus, &subjects[0], 1.5, qos);
    command(bus, &subjects[0], 1.25, qos);
    for (long round = -warmup; round < rounds; round++) {
        double factor = round % 2 == 0 ? 2.5 : 3.75;
        for (int index = 0; index < subject_count; index++) {
            int64_t time = command(bus, &subjects[index], factor, qos);
            if (round >= 0) subjects[index].times[round] = time;
        }
    }
    for (int index = 0; index < subject_count; index++)
        for (long round = 0; round < rounds; round++)
            printf("%s %" PRId64 "\n", subjects[index].name, subjects[index].times[round]);
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
