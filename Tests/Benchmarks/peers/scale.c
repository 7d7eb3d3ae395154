// scale PORT SECONDS RATE AGENT_TOPIC CAMERAS: a pinch on each of the cameras c0, c1, …, in parallel, at QoS
// 0.
//
// Begins the gestures and prints `began` when the agent has taken them all; then sends each camera RATE
// cumulative `changed` a second, spread evenly over time, for SECONDS, and prints `sent SAMPLES LATEST_MS`:
// how far the sender itself lay behind its own time at most. Prints `taken BACKLOG_MS` when the agent has
// taken them all: so long after the last was sent.
#include "peer.h"

static bool answered;

static void note(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context, (void)message;
    answered = true;
}

/// Publishes and waits until the kernel has taken every byte, so that nothing piles up or gets lost in here.
static void publish(struct mosquitto *bus, const char *topic, const char *payload) {
    check(mosquitto_publish(bus, NULL, topic, (int)strlen(payload), payload, 0, false), "publish");
    for (int turn = 0; mosquitto_want_write(bus); turn++) {
        if (turn == 1000000) die("publish", "the broker takes nothing any more");
        step(bus, 1000);
    }
}

/// Waits for an answer to a command that comes after all others: then they have been taken.
static void wait_for_agent(struct mosquitto *bus, const char *agent) {
    char topic[256];
    snprintf(topic, sizeof topic, "%s/c0/session/set", agent);
    answered = false;
    // Answered as unsupported or as done, whatever the version: it moves nothing.
    publish(bus, topic, "{\"client\":\"scale\",\"id\":\"all-taken\"}");
    for (int turn = 0; !answered; turn++) {
        if (turn == 1200) die("agent", "no answer in 120 s");
        step(bus, 100);
    }
}

static void gesture(struct mosquitto *bus, const char *agent, long camera, const char *phase, long seq, double scale) {
    char topic[256], payload[256];
    snprintf(topic, sizeof topic, "%s/c%ld/pinch/set", agent, camera);
    snprintf(payload, sizeof payload,
        "{\"gesture\":\"scale\",\"client\":\"scale\",\"phase\":\"%s\",\"seq\":%ld,\"scale\":%.4f}", phase, seq, scale);
    publish(bus, topic, payload);
}

int main(int count, char **arguments) {
    if (count != 6) die("usage", "scale PORT SECONDS RATE AGENT_TOPIC CAMERAS");
    long seconds = number(arguments[2], "SECONDS", 1, 600), rate = number(arguments[3], "RATE", 1, 1000);
    const char *agent = arguments[4];
    long cameras = number(arguments[5], "CAMERAS", 1, 1024);
    char topic[256];
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), note);
    snprintf(topic, sizeof topic, "%s/c0/session/reply", agent);
    subscribe_to(bus, topic, 0);

    for (long camera = 0; camera < cameras; camera++) gesture(bus, agent, camera, "began", 0, 1);
    wait_for_agent(bus, agent);
    puts("began");

    int64_t began = now_ns(), latest = 0;
    long samples = seconds * rate * cameras;
    for (long sample = 0; sample < samples; sample++) {
        int64_t due = began + sample * INT64_C(1000000000) / (rate * cameras);
        for (int64_t now; (now = now_ns()) < due;) {
            struct timespec rest = {.tv_sec = (due - now) / 1000000000, .tv_nsec = (due - now) % 1000000000};
            nanosleep(&rest, NULL);
        }
        int64_t late = now_ns() - due;
        if (late > latest) latest = late;
        long round = sample / cameras, place = round % 40;
        // Up and down between 1.2 and 3.2, so that neighbours differ and nothing is clamped.
        gesture(bus, agent, sample % cameras, "changed", round + 1, 1.2 + (place < 20 ? place : 40 - place) * 0.1);
    }
    int64_t ended = now_ns();
    printf("sent %ld %.1f\n", samples, latest / 1e6);
    wait_for_agent(bus, agent);
    printf("taken %.1f\n", (now_ns() - ended) / 1e6);
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
