#include "stream.h"

#include <linux/usb/video.h>
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "formats.h"
#include "frame.h"
#include "h264.h"
#include "journal.h"
#include "link.h"
#include "movements.h"
#include "options.h"

enum { payload = 16384, header = 2 };

/// What host and camera agree on.
struct agreement {
    enum format format;
    uint8_t frame;      ///< 1 and up
    uint32_t interval;  ///< 100 ns
};

static struct agreement probed = {raw, 1, 333333}, committed;
static bool streaming;
static instant next_frame, frozen_until;
static uint8_t *frame, toggle;
static unsigned frame_length, sent, counter, made;  // made: in this stream
static unsigned refused_when_asked, refused_at_start, replaced;

static struct size size_of(const struct agreement *agreement) {
    return agreement->format == h264 ? (struct size){h264_width, h264_height} : frame_sizes[agreement->frame - 1];
}

static void write_agreement(const struct agreement *agreement, uint8_t *bytes) {
    memset(bytes, 0, longest_control_of_stream);
    struct size size = size_of(agreement);
    store(bytes, 1, 2);  // bmHint: the interval is to be kept
    bytes[2] = (uint8_t)agreement->format;
    bytes[3] = agreement->frame;
    store(bytes + 4, agreement->interval, 4);
    store(bytes + 18, declared_length(agreement->format, size), 4);
    store(bytes + 22, payload, 4);
    store(bytes + 26, 48000000, 4);
}

static enum format read_format(uint8_t number) {
    if (options.only_h264 || (options.h264 && number == h264)) {
        return h264;
    }
    return number == mjpg ? mjpg : raw;
}

/// The nearest that the camera can do.
static struct agreement read_agreement(const uint8_t *bytes) {
    struct agreement wanted = {
        .format = read_format(bytes[2]), .frame = bytes[3] >= 1 && bytes[3] <= sizes ? bytes[3] : 1,
        .interval = frame_intervals[rates - 1]};
    for (unsigned i = rates; i-- > 0;) {
        if (load(bytes + 4, 4) <= frame_intervals[i]) {
            wanted.interval = frame_intervals[i];
        }
    }
    return wanted;
}

unsigned stream_read(uint8_t selector, uint8_t request, uint8_t *bytes) {
    const struct agreement standard = {read_format(0), 1, 333333};
    if (selector != UVC_VS_PROBE_CONTROL && selector != UVC_VS_COMMIT_CONTROL) {
        return 0;
    }
    switch (request) {
        case UVC_GET_INFO: bytes[0] = 3; return 1;
        case UVC_GET_LEN: store(bytes, longest_control_of_stream, 2); return 2;
        case UVC_GET_CUR: write_agreement(selector == UVC_VS_COMMIT_CONTROL ? &committed : &probed, bytes); break;
        default: write_agreement(&standard, bytes);
    }
    return longest_control_of_stream;
}

unsigned stream_write(uint8_t selector, const uint8_t *bytes, unsigned length) {
    if (length < 26) {
        return 0;
    }
    struct agreement wanted = read_agreement(bytes);
    unsigned width = size_of(&wanted).width;
    if (width == (selector == UVC_VS_COMMIT_CONTROL ? refused_at_start : refused_when_asked)) {
        journal("stream refused");
        return 0;
    }
    if (width == replaced) {
        wanted.frame = 1;
    }
    probed = wanted;
    if (selector == UVC_VS_COMMIT_CONTROL) {
        stream_stop();
        committed = probed;
        streaming = true;
        made = 0;
        next_frame = now();
        frame = frame ? frame : frame_buffer();
        h264_begin();
        journal("stream %s %ux%u", format_name(committed.format), size_of(&committed).width, size_of(&committed).height);
    }
    return length;
}

void stream_stop(void) {
    if (streaming) {
        journal("stream stop");
    }
    streaming = false;
    frame_length = sent = 0;
}

void stream_refuse(bool at_start, unsigned width) {
    *(at_start ? &refused_at_start : &refused_when_asked) = width;
}

void stream_replace(unsigned width) {
    replaced = width;
}

void stream_freeze(instant until) {
    frozen_until = until;
}

/// What its exposure lacks yet, when it has just begun to stream.
static uint8_t darkness(void) {
    unsigned left = made < options.warm_up ? options.warm_up - made : 0;
    made++;
    return (uint8_t)(left ? darkest * left / options.warm_up : 0);
}

static void begin_frame(instant time) {
    static uint16_t shown;
    uint16_t zoom = (uint16_t)lround(motor_position(&zoom_motor, time));
    uint8_t count = (uint8_t)counter++;
    if (committed.format == h264) {
        instant interval = committed.interval * 100ull;
        next_frame = next_frame + interval < time ? time + interval : next_frame + interval;
        frame_length = h264_make(frame);
        sent = 0;
        toggle ^= frame_length ? UVC_STREAM_FID : 0;
        return;
    }
    if (zoom != shown) {
        journal("picture %u %u", zoom, count);
    }
    shown = zoom;
    frame_length = frame_make(committed.format, size_of(&committed), frame_code(zoom, count), darkness(), frame);
    sent = 0;
    toggle ^= UVC_STREAM_FID;
    instant interval = committed.interval * 100ull;
    next_frame = next_frame + interval < time ? time + interval : next_frame + interval;
}

static void send_payload(struct urb *urb) {
    static uint8_t bytes[payload];
    unsigned room = (urb->length < payload ? urb->length : payload) - header, rest = frame_length - sent;
    unsigned part = rest < room ? rest : room;
    bytes[0] = header;
    bytes[1] = UVC_STREAM_EOH | toggle | (part == rest ? UVC_STREAM_EOF : 0);
    memcpy(bytes + header, frame + sent, part);
    sent += part;
    link_answer(urb, 0, bytes, header + part);
    if (part == rest && options.journal_frames) {
        journal("sent %u", (uint8_t)(counter - 1));
    }
}

instant stream_serve(instant time) {
    struct urb *urb = link_waiting(video_endpoint);
    if (!streaming || !urb) {
        return NEVER;
    }
    instant due = next_frame > frozen_until ? next_frame : frozen_until;
    if (sent == frame_length) {
        if (due > time) {
            return due;
        }
        begin_frame(time);
    }
    while ((urb = link_waiting(video_endpoint)) && sent < frame_length) {
        send_payload(urb);
    }
    return time;
}
