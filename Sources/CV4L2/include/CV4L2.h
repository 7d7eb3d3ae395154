// Video4Linux without ioctl numbers, unions and packed structures, none of which Swift imports. Each function
// does one call to the driver and returns 0, or -errno; all except those on a stream may block for any time.
#ifndef CV4L2_H
#define CV4L2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Output.h"

/// The buffers by which a node gives or takes frames. The values are V4L2's types of buffers.
enum cv4l2_buffers {
    CV4L2_NO_BUFFERS = 0,
    /// A frame is in one piece of memory.
    CV4L2_CAPTURE = 1,
    CV4L2_OUTPUT = 2,
    /// A frame is in one or several pieces of memory ("planes"), as its format says: V4L2's multi-planar API.
    CV4L2_CAPTURE_PLANES = 9,
    CV4L2_OUTPUT_PLANES = 10,
};

/// The capabilities that a device reports (VIDIOC_QUERYCAP).
struct cv4l2_identity {
    char driver[16], card[32], bus[32];
    /// How it gives frames by streaming, and how it takes frames that it shows to others.
    enum cv4l2_buffers capture, output;
    /// It captures, by streaming or not: a loopback device that another program writes to may report only
    /// this.
    bool captures;
    /// It shares buffers with the program; it reads or writes by read(2) and write(2).
    bool streams, reads_and_writes;
};
int cv4l2_identify(int fd, struct cv4l2_identity *identity);

/// An open node and its buffers. Both APIs look the same from here: a frame of the single-planar one has one
/// plane of memory.
struct cv4l2_node {
    int fd;
    enum cv4l2_buffers buffers;
};

/// The most planes of memory that a frame has.
enum { CV4L2_MOST_PLANES = 8 };

// Formats

/// A plane of memory: bytes in a row, of the first plane of samples in it, and bytes of a frame at the most.
struct cv4l2_plane_format {
    uint32_t stride, size;
};
struct cv4l2_format {
    uint32_t pixel_format, width, height;
    /// As the driver reports it: it can be 0, or more than CV4L2_MOST_PLANES.
    uint32_t plane_count;
    struct cv4l2_plane_format planes[CV4L2_MOST_PLANES];
    /// Samples from 0 to 255; otherwise from 16 to 235 or 240.
    bool full_range;
};

/// A frame size, or a range of them of which it is the greatest.
struct cv4l2_size {
    uint32_t width, height;
    bool is_range;
    uint32_t least_width, least_height, width_step, height_step;
};
int cv4l2_frame_size(int fd, uint32_t pixel_format, uint32_t index, struct cv4l2_size *size);


/// Requests a pixel format and a size, and stores the format that the driver chose in it. Frames that a
/// device takes are in one plane of memory, with samples of ITU-R BT.601's limited range.
int cv4l2_set_format(struct cv4l2_node node, struct cv4l2_format *format);
/// VIDIOC_G_FMT: the present format, with one or several planes.
int cv4l2_get_format(struct cv4l2_node node, struct cv4l2_format *format);

/// Stores the format that the driver would choose for a pixel format and a size in it; the device is not
/// changed.
int cv4l2_try_format(struct cv4l2_node node, struct cv4l2_format *format);

/// Requests a frame rate, in frames per second, and stores the one that the driver chose in it.
int cv4l2_set_rate(struct cv4l2_node node, double *rate);
int cv4l2_set_input(int fd, int input);

// Controls

struct cv4l2_control {
    uint32_t id;
    char name[32];
    int64_t minimum, maximum, step, standard;
    bool disabled, inactive, grabbed, read_only, write_only;
    /// V4L2's number of the type.
    uint32_t type;
    /// It is an array of such elements.
    bool is_array;
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
    cv4l2_privacy, cv4l2_camera_orientation, cv4l2_camera_sensor_rotation, cv4l2_horizontal_flip,
    cv4l2_vertical_flip, cv4l2_rotate, cv4l2_force_key_frame;

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
/// VIDIOC_G_SELECTION, and VIDIOC_S_SELECTION, which stores the rectangle that the driver chose. `buffers` is
/// a V4L2_BUF_TYPE, of either API; `target` is a V4L2_SEL_TGT.
int cv4l2_get_selection(int fd, uint32_t buffers, uint32_t target, struct cv4l2_rectangle *rectangle);
int cv4l2_set_selection(int fd, uint32_t buffers, uint32_t target, struct cv4l2_rectangle *rectangle);

/// The rectangle of the sensor that is shown; that of the whole sensor; the place of the picture in the
/// frame.
extern const uint32_t cv4l2_crop, cv4l2_whole_crop, cv4l2_compose;

// Streaming by memory that driver and program share

/// A plane of memory of a buffer, before it is mapped: its bytes, and its place for mmap(2).
struct cv4l2_plane_memory {
    uint32_t length, offset;
};
struct cv4l2_memory {
    /// As the driver reports it: it can be 0, or more than CV4L2_MOST_PLANES.
    uint32_t plane_count;
    struct cv4l2_plane_memory planes[CV4L2_MOST_PLANES];
};

/// The bytes of a plane that the driver has filled, counted from the plane's start, and how many of them
/// stand before the samples.
struct cv4l2_plane_use {
    uint32_t used, offset;
};
struct cv4l2_buffer {
    uint32_t index, sequence;
    /// As the driver reports it: it can be 0, or more than CV4L2_MOST_PLANES.
    uint32_t plane_count;
    struct cv4l2_plane_use planes[CV4L2_MOST_PLANES];
    /// The time of the exposure in ns of CLOCK_MONOTONIC; 0: the driver reports none.
    int64_t time;
    /// The time is that of the exposure's start, not of the frame's end.
    bool timed_at_start;
    /// The driver reports damaged data.
    bool damaged;
};
/// Requests a number of buffers (0: frees all), and stores the number that the driver allocated in it.
int cv4l2_request_buffers(struct cv4l2_node node, uint32_t *count);
int cv4l2_query_buffer(struct cv4l2_node node, uint32_t index, struct cv4l2_memory *memory);

/// Maps a plane for reading and writing.
int cv4l2_map(int fd, struct cv4l2_plane_memory plane, const uint8_t **start);
void cv4l2_unmap(const uint8_t *start, size_t length);

/// Gives a buffer to the driver; one for output has a frame of so many bytes.
int cv4l2_queue(struct cv4l2_node node, uint32_t index, uint32_t bytes);

/// Takes a buffer back that the driver has filled or shown, without waiting; -EAGAIN: there is none.
int cv4l2_dequeue(struct cv4l2_node node, struct cv4l2_buffer *buffer);
int cv4l2_stream(struct cv4l2_node node, bool on);

// Pictures

/// Samples of one kind in a frame: the first one, bytes from a row to the next one, bytes from a sample to
/// the next one, and the number of rows.
struct cv4l2_samples {
    const uint8_t *start;
    size_t stride;
    uint32_t step, rows;
};
/// Makes I420 (full range) of a frame whose luma and chroma are in planes of their own, wherever these are.
/// `samples` has luma, blue and red difference. The sides are even. Luma has `height` rows; chroma has half
/// of the columns, and half of the rows or all of them. The caller has checked that all samples are there.
/// `to` has width × height × 3 / 2 bytes.
void cv4l2_gather(
    const struct cv4l2_samples samples[3], uint32_t width, uint32_t height, bool full_range, uint8_t *to);

/// Makes I420 (full range) of an uncompressed frame in one plane of memory. `frame` has all rows of all
/// planes one after the other, without padding, which the caller has checked: libv4lconvert reads what the
/// format says, whatever `length` is, and writes to the frame if its samples have 10 or 16 bits of a Bayer
/// pattern. `to` has width × height × 3 / 2 bytes. Returns 0, or -1 with the reason.
struct cv4l2_reason {
    char words[128];
};
int cv4l2_convert(
    const struct cv4l2_format *format, const uint8_t *frame, size_t length, uint8_t *to, struct cv4l2_reason *reason);

#include "DriverAnswers.h"

#endif
