#pragma once
#include <stdint.h>

// What the camera streams: each format in each size at each rate.

enum format { raw = 1, mjpg = 2, h264 = 3 };
enum { sizes = 3, rates = 3 };
enum { largest_frame = 1920 * 1080 * 2 };

struct size {
    uint16_t width, height;
};

/// The bytes of a frame at the most, as the camera declares them.
unsigned declared_length(enum format format, struct size size);

/// The four-character code of a format.
const char *format_name(enum format format);

static const struct size frame_sizes[sizes] = {{640, 480}, {1280, 720}, {1920, 1080}};

/// Time from one frame to the next, in 100 ns: 30, 15 and 5 frames a second.
static const uint32_t frame_intervals[rates] = {333333, 666666, 2000000};

/// The second video interface has H.264, if that is beside the other formats.
enum { control_endpoint = 0, event_endpoint = 1, video_endpoint = 2, second_endpoint = 3 };
enum { control_interface = 0, video_interface = 1, second_interface = 2 };
