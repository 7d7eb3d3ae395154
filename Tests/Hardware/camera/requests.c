#include "requests.h"

#include <errno.h>
#include <linux/usb/ch9.h>
#include <linux/usb/video.h>

#include "bytes.h"
#include "controls.h"
#include "descriptors.h"
#include "formats.h"
#include "journal.h"
#include "link.h"
#include "stream.h"

static enum refusal last_refusal;

static void answer(struct urb *urb, const uint8_t *data, unsigned length) {
    link_answer(urb, 0, data, length < urb->length ? length : urb->length);
}

static void refuse(struct urb *urb, enum refusal why) {
    last_refusal = why;
    link_answer(urb, -EPIPE, NULL, 0);
}

static struct control *addressed(const struct urb *urb) {
    bool class_request = (urb->setup[0] & USB_TYPE_MASK) == USB_TYPE_CLASS;
    return class_request && urb->setup[4] == control_interface ? control_of(urb->setup[5], urb->setup[3]) : NULL;
}

/// The answers of a field's range to GET_MIN, GET_MAX and GET_RES.
static int32_t limit(const struct field *field, uint8_t request) {
    switch (request) {
        case UVC_GET_MIN: return field->low;
        case UVC_GET_MAX: return field->high;
        case UVC_GET_RES: return field->step;
        default: return field->standard;
    }
}

static void serve_control(struct urb *urb, struct control *control, instant time) {
    uint8_t request = urb->setup[1], bytes[longest_control];
    bool current = request == UVC_SET_CUR || request == UVC_GET_CUR;
    const char *verb = request == UVC_SET_CUR ? "SET_CUR" : "GET_CUR";
    if (current && control->stalled) {
        journal("%s %s %s stalled", verb, control->name, urb->in ? "?" : control_text(control, urb->data));
        refuse(urb, control->stalled);
    } else if (request == UVC_SET_CUR && urb->length == control_size(control)) {
        enum refusal why = control_write(control, urb->data, time);
        journal("SET_CUR %s %s%s", control->name, control_text(control, urb->data), why ? " refused" : "");
        if (why) {
            refuse(urb, why);
        } else {
            answer(urb, NULL, 0);
        }
    } else if (request == UVC_GET_CUR) {
        unsigned size = control_read(control, bytes, time);
        journal("GET_CUR %s %s", control->name, control_text(control, bytes));
        answer(urb, bytes, size);
    } else if (request == UVC_GET_INFO) {
        answer(urb, &control->info, 1);
    } else if (request == UVC_GET_LEN) {
        store(bytes, control_size(control), 2);
        answer(urb, bytes, 2);
    } else if (request >= UVC_GET_MIN && request <= UVC_GET_DEF) {
        unsigned size = 0;
        for (unsigned i = 0; i < control_fields(control); i++) {
            store(bytes + size, (uint32_t)limit(&control->fields[i], request), control->fields[i].size);
            size += control->fields[i].size;
        }
        answer(urb, bytes, size);
    } else {
        refuse(urb, invalid_request);
    }
}

static void serve_class(struct urb *urb, instant time) {
    struct control *control = addressed(urb);
    uint8_t interface = urb->setup[4], unit = urb->setup[5], selector = urb->setup[3];
    if (control) {
        serve_control(urb, control, time);
    } else if (interface == control_interface && unit == 0 && selector == UVC_VC_REQUEST_ERROR_CODE_CONTROL) {
        uint8_t code = (uint8_t)last_refusal;
        last_refusal = taken;
        answer(urb, &code, 1);
    } else if (interface == video_interface || interface == second_interface) {
        uint8_t bytes[longest_control_of_stream];
        unsigned size = urb->in ? stream_read(interface, selector, urb->setup[1], bytes)
                                : stream_write(interface, selector, urb->data, urb->length);
        if (size) {
            answer(urb, bytes, size);
        } else {
            refuse(urb, invalid_request);
        }
    } else {
        refuse(urb, invalid_control);
    }
}

static void serve_standard(struct urb *urb) {
    uint8_t bytes[longest_descriptor] = {0};
    unsigned size = 0;
    switch (urb->setup[1]) {
        case USB_REQ_GET_DESCRIPTOR:
            size = descriptor(urb->setup[3], urb->setup[2], bytes);
            if (size == 0) {
                link_answer(urb, -EPIPE, NULL, 0);
                return;
            }
            break;
        case USB_REQ_GET_STATUS: size = 2; break;
        case USB_REQ_CLEAR_FEATURE:
            // Bulk video has no other request that ends the stream; the driver clears the halt, as Windows
            // does.
            if (urb->setup[0] == USB_RECIP_ENDPOINT) {
                stream_stop(urb->setup[4] & USB_ENDPOINT_NUMBER_MASK);
            }
            break;
    }
    answer(urb, bytes, size);
}

instant requests_serve(instant time) {
    struct urb *urb;
    while ((urb = link_waiting(control_endpoint))) {
        if (urb->due == 0) {
            const struct control *control = addressed(urb);
            urb->due = time + (control ? control->delay : 0);
        }
        if (urb->due > time) {
            return urb->due;
        }
        if ((urb->setup[0] & USB_TYPE_MASK) == USB_TYPE_STANDARD) {
            serve_standard(urb);
        } else {
            serve_class(urb, time);
        }
    }
    return NEVER;
}
