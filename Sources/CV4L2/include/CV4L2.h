// Video4Linux without ioctl numbers, unions and packed structures, none of which Swift imports. Each function
// does one call to the driver and returns 0, or -errno; all except those on a stream may block for any time.
#ifndef CV4L2_H
#define CV4L2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "DriverAnswers.h"

/// The capabilities that a device reports (VIDIOC_QUERYCAP).
struct cv4l2_identity {
    char driver[16], card[32], bus[32];
    /// Whether it captures video by streaming, through the single-planar API.
    bool captures;
};
int cv4l2_identify(int fd, struct cv4l2_identity *identity);

// Formats

struct cv4l2_format {
    uint32_t pixel_format, width, height;
    /// Bytes in a row, of the first plane; bytes of a frame at the most.
    uint32_t stride, size;
    /// Samples from 0 to 255; otherwise from 16 to 235 or 240.
    bool full_range;
};
int cv4l2_pixel_format(int fd, uint32_t index, uint32_t *pixel_format);

/// A frame size, or a range of them of which it is the greatest.
struct cv4l2_size {
    uint32_t width, height;
    bool is_range;
    uint32_t least_width, least_height, width_step, height_step;
};
int cv4l2_frame_size(int fd, uint32_t pixel_format, uint32_t index, struct cv4l2_size *size);

/// A frame rate of a size, in frames per second, or a range of them of which it is the fastest; `slowest` is
/// the same where it is the only one.
int cv4l2_frame_rate(
    int fd, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index, double *rate, double *slowest);
int cv4l2_get_format(int fd, struct cv4l2_format *format);
int cv4l2_set_format(int fd, struct cv4l2_format *format);

/// Requests a frame rate, and stores the one that the driver chose in it.
int cv4l2_set_rate(int fd, double *rate);
int cv4l2_set_input(int fd, int input);

// Controls

enum cv4l2_type {
    CV4L2_INTEGER, CV4L2_BOOLEAN, CV4L2_MENU, CV4L2_INTEGER_MENU, CV4L2_BUTTON, CV4L2_BITMASK, CV4L2_STRING, CV4L2_CLASS,
    CV4L2_COMPOUND
};
struct cv4l2_control {
    uint32_t id;
    enum cv4l2_type type;
    char name[32];
    int64_t minimum, maximum, step, standard;
    bool disabled, inactive, grabbed, read_only, write_only;
    /// V4L2's numbers of the type and the flags; bytes of an element, and the number of elements.
    uint32_t type_number, flags, element_size, elements;
};

/// The first control with an id above `after`; -EINVAL: there are no more.
int cv4l2_control_after(int fd, uint32_t after, struct cv4l2_control *control);

struct cv4l2_item {
    char title[32];
    /// Of a menu of numbers.
    int64_t value;
};
/// An item of a menu. -EINVAL: the driver leaves this one out.
int cv4l2_menu_item(int fd, uint32_t id, uint32_t index, bool has_numbers, struct cv4l2_item *item);
int cv4l2_read_control(int fd, uint32_t id, int64_t *value);
int cv4l2_read_text(int fd, uint32_t id, char *text, uint32_t room);

/// Sets controls in one call. If one of them caused the failure, `blamed` is its index; otherwise `count`.
int cv4l2_write_controls(int fd, const uint32_t *ids, const int64_t *values, uint32_t count, uint32_t *blamed);

/// The value that the driver would set for a requested one; the device is not changed.
int cv4l2_try_control(int fd, uint32_t id, int64_t *value);

extern const uint32_t cv4l2_zoom_absolute, cv4l2_zoom_continuous, cv4l2_exposure_bias,
    cv4l2_privacy;

/// The unit of a control's value, such as "K"; NULL if it is unknown.
const char *cv4l2_unit(uint32_t id);

// Events

struct cv4l2_event {
    uint32_t control;
    int64_t value;
    bool value_changed;
    /// The flags or the range have changed.
    bool nature_changed;
};
int cv4l2_subscribe(int fd, uint32_t control);

/// The next event of a control, without waiting; -ENOENT: there is none.
int cv4l2_next_event(int fd, struct cv4l2_event *event);

// Crop

struct cv4l2_rectangle {
    int32_t left, top;
    uint32_t width, height;
};
/// The rectangle of the whole sensor.
int cv4l2_crop_bounds(int fd, struct cv4l2_rectangle *bounds);
int cv4l2_get_crop(int fd, struct cv4l2_rectangle *crop);
int cv4l2_set_crop(int fd, struct cv4l2_rectangle *crop);
/// The place of the picture in the frame.
int cv4l2_get_compose(int fd, struct cv4l2_rectangle *compose);
int cv4l2_set_compose(int fd, struct cv4l2_rectangle *compose);

// Streaming by memory that driver and program share

struct cv4l2_buffer {
    uint32_t index, used, sequence;
    /// The time of the exposure in ns of CLOCK_MONOTONIC; 0: the driver reports none.
    int64_t time;
    /// The time is that of the exposure's start, not of the frame's end.
    bool timed_at_start;
    /// The driver reports damaged data.
    bool damaged;
};
/// Requests a number of buffers (0: frees all), and stores the number that the driver allocated in it.
int cv4l2_request_buffers(int fd, uint32_t *count);
int cv4l2_map_buffer(int fd, uint32_t index, const uint8_t **start, size_t *length);
void cv4l2_unmap_buffer(const uint8_t *start, size_t length);
int cv4l2_queue(int fd, uint32_t index);
int cv4l2_dequeue(int fd, struct cv4l2_buffer *buffer);
int cv4l2_stream(int fd, bool on);

// Pictures

/// Makes I420 (full range) of an uncompressed frame. `frame` has all rows of all planes one after the other,
/// without padding, which the caller has checked: libv4lconvert reads what the format says, whatever `length`
/// is, and writes to the frame if its samples have 10 or 16 bits of a Bayer pattern. `to` has width × height
/// × 3 / 2 bytes. Returns 0, or -1 with the reason.
struct cv4l2_reason {
    char words[128];
};
int cv4l2_convert(
    const struct cv4l2_format *format, const uint8_t *frame, size_t length, uint8_t *to, struct cv4l2_reason *reason);

#endif
