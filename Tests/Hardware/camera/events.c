#include "events.h"

#include <linux/usb/video.h>
#include <string.h>

#include "formats.h"
#include "journal.h"
#include "link.h"
#include "movements.h"
#include "options.h"

enum { most_events = 32, head = 5 };

struct event {
    uint8_t bytes[head + longest_control];
    unsigned length;
};

static struct event events[most_events];
static unsigned count;
static bool moving, listened;

void events_changed(struct control *control, instant time) {
    // UVC 1.1, table 2-2: a status packet of the control interface: who, "control change", what, "value
    // change", the value.
    struct event event = {.bytes = {UVC_STATUS_TYPE_CONTROL, (uint8_t)control->unit, 0, control->selector, 0}};
    event.length = head + control_read(control, event.bytes + head, time);
    bool heard = link_listened(event_endpoint) && count < most_events;
    journal("event %s %s%s", control->name, control_text(control, event.bytes + head), heard ? "" : " unheard");
    if (heard) {
        events[count++] = event;
    }
}

static instant watch_lens(instant time) {
    instant arrival = motor_arrival(&zoom_motor, time);
    if (moving && arrival == NEVER) {
        events_changed(control_named("zoom"), time);
    }
    moving = arrival != NEVER;
    return arrival;
}

instant events_serve(instant time) {
    instant next = options.reports_arrival ? watch_lens(time) : NEVER;
    struct urb *urb;
    if (listened != link_listened(event_endpoint)) {
        listened = !listened;
        journal(listened ? "opened" : "closed");
        count = 0;
    }
    while (count && (urb = link_waiting(event_endpoint))) {
        link_answer(urb, 0, events[0].bytes, events[0].length);
        memmove(events, events + 1, --count * sizeof events[0]);
    }
    return next;
}
