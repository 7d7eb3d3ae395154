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

/// What a video interface streams.
static struct stream {
    uint8_t interface, endpoint;
    struct agreement probed, committed;
    bool streaming;
    instant next_frame;
    uint8_t *frame, toggle;
    unsigned frame_length, sent, made;  // made: in this stream
} streams[] = {
    {.interface = video_interface, .endpoint = video_endpoint, .probed = {raw, 1, 333333}},
    {.interface = second_interface, .endpoint = second_endpoint, .probed = {h264, 1, 333333}}};

enum { all_streams = sizeof streams / sizeof *streams };

static instant frozen_until;
static unsigned counter;
static unsigned refused_when_asked, refused_at_start, replaced;
static enum format refused_format;

static struct size size_of(const struct agreement *agreement) {
    return agreement->format == h264 ? (struct size){h264_width, h264_height} : frame_sizes[agreement->frame - 1];
}

static void write_agreement(const struct agreement *agreement, uint8_t *bytes) {
    memset(bytes, 0, longest_control_of_stream);
    struct size size = size_of(agreement);
    store(bytes, 1, 2);  // bmHint: the interval is to be kept
    // Of the formats of the interface.
    bytes[2] = (uint8_t)(options.second_node && agreement->format == h264 ? 1 : agreement->format);
    bytes[3] = agreement->frame;
    store(bytes + 4, agreement->interval, 4);
    store(bytes + 18, declared_length(agreement->format, size), 4);
    store(bytes + 22, payload, 4);
    store(bytes + 26, 48000000, 4);
}

static enum format read_format(const struct stream *stream, uint8_t number) {
    bool second = stream->interface == second_interface;
    if (options.only_h264 || second || (options.h264 && !options.second_node && number == h264)) {
        return h264;
    }
    return number == mjpg ? mjpg : raw;
}

/// The nearest that the camera can do.
static struct agreement read_agreement(const struct stream *stream, const uint8_t *bytes) {
    struct agreement wanted = {
        .format = read_format(stream, bytes[2]), .frame = bytes[3] >= 1 && bytes[3] <= sizes ? bytes[3] : 1,
        .interval = frame_intervals[rates - 1]};
    for (unsigned i = rates; i-- > 0;) {
        if (load(bytes + 4, 4) <= frame_intervals[i]) {
            wanted.interval = frame_intervals[i];
        }
    }
    return wanted;
}

static struct stream *stream_of(uint8_t interface) {
    for (unsigned i = 0; i < all_streams; i++) {
        if (streams[i].interface == interface) {
            return &streams[i];
        }
    }
    return NULL;
}

static void stop(struct stream *stream) {
    if (stream->streaming) {
        journal("stream stop");
    }
    stream->streaming = false;
    stream->frame_length = stream->sent = 0;
}

unsigned stream_read(uint8_t interface, uint8_t selector, uint8_t request, uint8_t *bytes) {
    const struct stream *stream = stream_of(interface);
    if (!stream || (selector != UVC_VS_PROBE_CONTROL && selector != UVC_VS_COMMIT_CONTROL)) {
        return 0;
    }
    const struct agreement standard = {read_format(stream, 0), 1, 333333};
    switch (request) {
        case UVC_GET_INFO: bytes[0] = 3; return 1;
        case UVC_GET_LEN: store(bytes, longest_control_of_stream, 2); return 2;
        case UVC_GET_CUR: write_agreement(selector == UVC_VS_COMMIT_CONTROL ? &stream->committed : &stream->probed, bytes); break;
        default: write_agreement(&standard, bytes);
    }
    return longest_control_of_stream;
}

unsigned stream_write(uint8_t interface, uint8_t selector, const uint8_t *bytes, unsigned length) {
    struct stream *stream = stream_of(interface);
    if (!stream || length < 26) {
        return 0;
    }
    struct agreement wanted = read_agreement(stream, bytes);
    unsigned width = size_of(&wanted).width;
    bool refused = refused_format && wanted.format == refused_format;
    if (refused || width == (selector == UVC_VS_COMMIT_CONTROL ? refused_at_start : refused_when_asked)) {
        journal("stream refused");
        return 0;
    }
    if (width == replaced) {
        wanted.frame = 1;
    }
    stream->probed = wanted;
    if (selector == UVC_VS_COMMIT_CONTROL) {
        stop(stream);
        stream->committed = stream->probed;
        stream->streaming = true;
        stream->made = 0;
        stream->next_frame = now();
        stream->frame = stream->frame ? stream->frame : frame_buffer();
        if (stream->committed.format == h264) {
            h264_begin();
        }
        struct size size = size_of(&stream->committed);
        journal("stream %s %ux%u", format_name(stream->committed.format), size.width, size.height);
    }
    return length;
}

void stream_stop(uint8_t endpoint) {
    for (unsigned i = 0; i < all_streams; i++) {
        if (streams[i].endpoint == endpoint) {
            stop(&streams[i]);
        }
    }
}

void stream_stop_all(void) {
    for (unsigned i = 0; i < all_streams; i++) {
        stop(&streams[i]);
    }
}

void stream_refuse(bool at_start, unsigned width) {
    *(at_start ? &refused_at_start : &refused_when_asked) = width;
}

void stream_refuse_format(enum format format) {
    refused_format = format;
}

void stream_replace(unsigned width) {
    replaced = width;
}

void stream_freeze(instant until) {
    frozen_until = until;
}

/// What its exposure lacks yet, when it has just begun to stream.
static uint8_t darkness(struct stream *stream) {
    unsigned left = stream->made < options.warm_up ? options.warm_up - stream->made : 0;
    stream->made++;
    return (uint8_t)(left ? darkest * left / options.warm_up : 0);
}

static void begin_frame(struct stream *stream, instant time) {
    static uint16_t shown;
    const struct agreement *committed = &stream->committed;
    uint16_t zoom = (uint16_t)lround(motor_position(&zoom_motor, time));
    uint8_t count = (uint8_t)counter++;
    instant interval = committed->interval * 100ull;
    stream->next_frame = stream->next_frame + interval < time ? time + interval : stream->next_frame + interval;
    stream->sent = 0;
    if (committed->format == h264) {
        stream->frame_length = h264_make(stream->frame);
        stream->toggle ^= stream->frame_length ? UVC_STREAM_FID : 0;
        return;
    }
    if (zoom != shown) {
        journal("picture %u %u", zoom, count);
    }
    shown = zoom;
    stream->frame_length = frame_make(committed->format, size_of(committed), frame_code(zoom, count), darkness(stream), stream->frame);
    stream->toggle ^= UVC_STREAM_FID;
}

static void send_payload(struct stream *stream, struct urb *urb) {
    static uint8_t bytes[payload];
    unsigned room = (urb->length < payload ? urb->length : payload) - header, rest = stream->frame_length - stream->sent;
    unsigned part = rest < room ? rest : room;
    bytes[0] = header;
    bytes[1] = UVC_STREAM_EOH | stream->toggle | (part == rest ? UVC_STREAM_EOF : 0);
    memcpy(bytes + header, stream->frame + stream->sent, part);
    stream->sent += part;
    link_answer(urb, 0, bytes, header + part);
}

static instant serve(struct stream *stream, instant time) {
    struct urb *urb = link_waiting(stream->endpoint);
    if (!stream->streaming || !urb) {
        return NEVER;
    }
    instant due = stream->next_frame > frozen_until ? stream->next_frame : frozen_until;
    if (stream->sent == stream->frame_length) {
        if (due > time) {
            return due;
        }
        begin_frame(stream, time);
    }
    while ((urb = link_waiting(stream->endpoint)) && stream->sent < stream->frame_length) {
        send_payload(stream, urb);
    }
    return time;
}

instant stream_serve(instant time) {
    instant next = NEVER;
    for (unsigned i = 0; i < all_streams; i++) {
        next = earlier(next, serve(&streams[i], time));
    }
    return next;
}
