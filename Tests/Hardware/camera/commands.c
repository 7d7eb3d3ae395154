#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "controls.h"
#include "events.h"
#include "frame.h"
#include "h264.h"
#include "journal.h"
#include "link.h"
#include "movements.h"
#include "options.h"
#include "stream.h"

enum { most_words = 8 };

instant hangs_until;

static const char *plug(void) {
    if (!link_plug(options.port)) {
        return strerror(errno);
    }
    journal("plug");
    return NULL;
}

static const char *unplug(void) {
    journal("unplug");
    stream_stop_all();
    link_unplug();
    return NULL;
}

/// The user turns or presses something at the camera.
static const char *button(struct control *control, char **values, int count) {
    instant time = now();
    if (count != (int)control_fields(control)) {
        return "another number of values is wanted";
    }
    for (int i = 0; i < count; i++) {
        control->values[i] = atoi(values[i]);
    }
    if (control == control_named("zoom")) {
        motor_place(&zoom_motor, control->values[0], time);
    } else if (control->go) {
        control->go(control->values, time);
    }
    events_changed(control, time);
    return NULL;
}

static const char *read_out(struct control *control) {
    static char text[80];
    uint8_t bytes[longest_control];
    control_read(control, bytes, now());
    snprintf(text, sizeof text, "ok %s", control_text(control, bytes));
    return text;
}

static const char *position(void) {
    static char text[64];
    unsigned made, place;
    h264_position(&made, &place);
    snprintf(text, sizeof text, "ok %u %u", made, place);
    return text;
}

static const char *obey_control(const char *verb, struct control *control, char **words, int count) {
    long number = count ? atol(words[0]) : 0;
    if (strcmp(verb, "stall") == 0) {
        control->stalled = count ? (enum refusal)number : not_ready;
    } else if (strcmp(verb, "delay") == 0 && count == 1) {
        control->delay = (instant)number * millisecond;
    } else if (strcmp(verb, "round") == 0 && count == 1) {
        control->rounded_to = (int32_t)number;
    } else if (strcmp(verb, "clamp") == 0 && (count == 0 || count == 2)) {
        control->clamped = count == 2;
        control->clamp_low = (int32_t)number;
        control->clamp_high = count ? atoi(words[1]) : 0;
    } else if (strcmp(verb, "button") == 0) {
        return button(control, words, count);
    } else if (strcmp(verb, "read") == 0) {
        return read_out(control);
    } else {
        return "no such command";
    }
    return NULL;
}

static const char *obey(char **words, int count) {
    instant later = count > 1 ? now() + (instant)(atof(words[1]) * second) : NEVER;
    struct control *control;
    if (count == 0) {
        return "no command";
    } else if (strcmp(words[0], "plug") == 0) {
        return plug();
    } else if (strcmp(words[0], "unplug") == 0) {
        return unplug();
    } else if (strcmp(words[0], "hang") == 0) {
        hangs_until = later;
    } else if (strcmp(words[0], "freeze") == 0) {
        stream_freeze(later);
    } else if (strcmp(words[0], "refuse") == 0 && count == 3) {
        stream_refuse(strcmp(words[1], "commit") == 0, (unsigned)atoi(words[2]));
    } else if (strcmp(words[0], "replace") == 0 && count == 2) {
        stream_replace((unsigned)atoi(words[1]));
    } else if (strcmp(words[0], "jpeg") == 0 && count <= 2) {
        return frame_replay(count == 2 ? words[1] : NULL) ? NULL : strerror(errno);
    } else if (strcmp(words[0], "h264-refuse") == 0 && count == 2) {
        stream_refuse_format(strcmp(words[1], "on") == 0 ? h264 : 0);
    } else if (strcmp(words[0], "h264-keys") == 0 && count == 2) {
        h264_withhold_keys(strcmp(words[1], "off") == 0);
    } else if (strcmp(words[0], "h264-drop") == 0 && count == 2) {
        h264_drop((unsigned)atoi(words[1]));
    } else if (strcmp(words[0], "h264-damage") == 0 && count == 2) {
        h264_damage((unsigned)atoi(words[1]));
    } else if (strcmp(words[0], "h264-position") == 0) {
        return position();
    } else if (strcmp(words[0], "mark") == 0 && count == 2) {
        journal("mark %s", words[1]);
    } else if (count > 1 && (control = control_named(words[1]))) {
        return obey_control(words[0], control, words + 2, count - 2);
    } else {
        return "no such command or control";
    }
    return NULL;
}

int commands_open(const char *camera) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/run/camera/%s.socket", camera);
    unlink(address.sun_path);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 8)) {
        perror(address.sun_path);
        exit(1);
    }
    return listener;
}

void commands_serve(int listener) {
    char text[512], *words[most_words], *rest = NULL;
    int connection = accept(listener, NULL, NULL), count = 0;
    ssize_t length = read(connection, text, sizeof text - 1);
    text[length > 0 ? length : 0] = 0;
    for (char *word = strtok_r(text, " ", &rest); word && count < most_words; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    const char *said = obey(words, count);
    char answer[128];
    snprintf(answer, sizeof answer, "%s%s", !said || strncmp(said, "ok", 2) == 0 ? "" : "error: ", said ? said : "ok");
    send(connection, answer, strlen(answer), MSG_NOSIGNAL);
    close(connection);
}
