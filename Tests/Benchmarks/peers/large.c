// large PORT COMMANDS BYTES CAMERA_TOPIC: zoom commands of so many bytes with thousands of fields, at QoS 1,
// one in flight. Each has to be refused as `too_large`.
#include "peer.h"

enum { longest = 1 << 20 };

static bool has_answer;

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context;
    char text[4096];
    payload_text(message, text, sizeof text);
    if (!strstr(text, "\"too_large\"")) die("the agent did not refuse the size", text);
    has_answer = true;
}

int main(int count, char **arguments) {
    if (count != 5) die("usage", "large PORT COMMANDS BYTES CAMERA_TOPIC");
    long commands = number(arguments[2], "COMMANDS", 1, 1000000);
    long bytes = number(arguments[3], "BYTES", 32, longest);
    char set_topic[256], reply_topic[256];
    snprintf(set_topic, sizeof set_topic, "%s/zoom/set", arguments[4]);
    snprintf(reply_topic, sizeof reply_topic, "%s/zoom/reply", arguments[4]);

    static char payload[longest + 32];
    long length = snprintf(payload, sizeof payload, "{\"factor\":2");
    for (long field = 0; length < bytes - 16; field++)
        length += snprintf(payload + length, sizeof payload - length, ",\"f%ld\":1", field);
    while (length < bytes - 1) payload[length++] = ' ';
    payload[length++] = '}';

    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, reply_topic, 0);
    for (long sent = 0; sent < commands; sent++) {
        has_answer = false;
        check(mosquitto_publish(bus, NULL, set_topic, (int)length, payload, 1, false), "publish");
        for (int turn = 0; !has_answer; turn++) {
            if (turn == 10000) die(set_topic, "no answer");
            step(bus, 1000);
        }
    }
    mosquitto_disconnect(bus);
    return 0;
}
