// A USB camera with a motor zoom that isn't there: to the kernel's uvcvideo it is a real one, on a port of
// the virtual host controller. One process is one camera. `options.c` has its options, `commands.c` the
// commands while it runs.

#include <poll.h>
#include <stddef.h>

#include "commands.h"
#include "controls.h"
#include "events.h"
#include "journal.h"
#include "link.h"
#include "options.h"
#include "requests.h"
#include "stream.h"

static instant serve(instant time) {
    if (hangs_until > time) {
        return hangs_until;
    }
    instant next = requests_serve(time);
    next = earlier(next, events_serve(time));
    return earlier(next, stream_serve(time));
}

int main(int count, char **words) {
    options_read(count, words);
    controls_start();
    journal_open(options.name);
    int listener = commands_open(options.name);
    for (;;) {
        instant time = now(), next = serve(time);
        instant left = next > time ? next - time : 0;
        struct timespec timeout = {.tv_sec = (time_t)(left / second), .tv_nsec = (long)(left % second)};
        struct pollfd either[] = {{.fd = link_descriptor(), .events = POLLIN}, {.fd = listener, .events = POLLIN}};
        ppoll(either, 2, next == NEVER ? NULL : &timeout, NULL);
        if (either[0].revents && !link_receive()) {
            journal("let go by the host");
            stream_stop_all();
        }
        if (either[1].revents) {
            commands_serve(listener);
        }
    }
}
