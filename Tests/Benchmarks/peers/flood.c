// flood PORT SAMPLES CAMERA_TOPIC: one pinch of very many samples at QoS 0, as fast as the broker takes them.
//
// Sets the zoom to 1, begins a gesture, sends SAMPLES cumulative `changed`, and ends the gesture under the id
// `flood-end` with no scale of its own, so that the last sample decides. Prints `BEGAN ENDED LAST_SCALE`, the
// times in nanoseconds.
#include "peer.h"

static void ignore(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context, (void)message;
}

/// Publishes and waits until the kernel has taken every byte, so that nothing piles up or gets lost in here.
static void publish(struct mosquitto *bus, const char *topic, const char *payload) {
    check(mosquitto_publish(bus, NULL, topic, (int)strlen(payload), payload, 0, false), "publish");
    for (int turn = 0; mosquitto_want_write(bus); turn++) {
        if (turn == 1000000) die("publish", "the broker takes nothing any more");
        step(bus, 1000);
    }
}

/// The scale of a sample: up and down between 1.2 and 3.2, so that neighbours differ and nothing is clamped.
static double scale(long sample, long samples) {
    if (sample == samples - 1) return 2.7183;
    long place = sample % 4000;
    return 1.2 + (place < 2000 ? place : 4000 - place) * 0.001;
}

int main(int count, char **arguments) {
    if (count != 4) die("usage", "flood PORT SAMPLES CAMERA_TOPIC");
    long samples = number(arguments[2], "SAMPLES", 1, 10000000);
    char topic[256], payload[256];
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), ignore);

    snprintf(topic, sizeof topic, "%s/zoom/set", arguments[3]);
    publish(bus, topic, "{\"factor\":1,\"client\":\"flood\",\"id\":\"flood-start\"}");
    snprintf(topic, sizeof topic, "%s/pinch/set", arguments[3]);
    publish(bus, topic, "{\"gesture\":\"flood\",\"client\":\"flood\",\"phase\":\"began\",\"scale\":1,\"seq\":0}");
    int64_t began = now_ns();
    for (long sample = 0; sample < samples; sample++) {
        snprintf(payload, sizeof payload,
            "{\"gesture\":\"flood\",\"client\":\"flood\",\"phase\":\"changed\",\"seq\":%ld,\"scale\":%.4f}",
            sample + 1, scale(sample, samples));
        publish(bus, topic, payload);
    }
    snprintf(payload, sizeof payload,
        "{\"gesture\":\"flood\",\"client\":\"flood\",\"phase\":\"ended\",\"seq\":%ld,\"id\":\"flood-end\"}",
        samples + 1);
    publish(bus, topic, payload);
    printf("%" PRId64 " %" PRId64 " %.4f\n", began, now_ns(), scale(samples - 1, samples));
    mosquitto_disconnect(bus);
    return fflush(stdout) == 0 ? 0 : 1;
}
