// Devices that take pictures and show them to other programs or on a screen. Pictures are in one plane of
// memory. As in CV4L2.h, each function does one call to the driver and returns 0, or -errno.
#ifndef CV4L2_OUTPUT_H
#define CV4L2_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How an output device takes pictures.
struct cv4l2_output {
    int fd;
    /// By V4L2's multi-planar API, in which a picture has a list of planes of memory.
    bool multi_planar;
};

/// What a node can do as an output device.
struct cv4l2_output_abilities {
    /// It takes pictures, by either API.
    bool takes_pictures;
    bool multi_planar;
    /// It takes pictures in buffers that it shares with the program; by write(2).
    bool streams, writes;
    /// It captures too: a loopback device that another program writes to may report only this.
    bool captures;
};
int cv4l2_output_abilities(int fd, struct cv4l2_output_abilities *abilities);

int cv4l2_output_pixel_format(struct cv4l2_output output, uint32_t index, uint32_t *pixel_format);

/// Bytes of a row of the first plane of samples, and of a picture.
struct cv4l2_output_format {
    uint32_t pixel_format, width, height, stride, size;
    /// Planes of memory of a picture, as the driver reports it.
    uint32_t plane_count;
};

/// Requests a pixel format and a size for samples of ITU-R BT.601's limited range, and stores the format that
/// the driver chose in it.
int cv4l2_set_output_format(struct cv4l2_output output, struct cv4l2_output_format *format);

/// Tells the driver the rate, in pictures per second.
int cv4l2_set_output_rate(struct cv4l2_output output, double rate);

/// Requests a number of buffers (0: frees all), and stores the number that the driver allocated in it.
int cv4l2_request_output_buffers(struct cv4l2_output output, uint32_t *count);

/// Maps a buffer for writing.
int cv4l2_map_output(struct cv4l2_output output, uint32_t index, uint8_t **start, size_t *length);
void cv4l2_unmap_output(uint8_t *start, size_t length);

/// Gives a buffer with a picture of so many bytes to the driver.
int cv4l2_queue_output(struct cv4l2_output output, uint32_t index, uint32_t bytes);

/// Takes a buffer back whose picture the driver has shown, without waiting; -EAGAIN: there is none.
int cv4l2_dequeue_output(struct cv4l2_output output, uint32_t *index);
int cv4l2_stream_output(struct cv4l2_output output, bool on);

/// Writes a picture by write(2), without waiting; -EAGAIN: the driver takes none now.
int cv4l2_write_picture(int fd, const uint8_t *picture, size_t length);

/// Waits until the driver takes a picture or an error is pending. 1: it does; 0: the time is over; or -errno.
int cv4l2_wait_output(int fd, int milliseconds);

/// Subscribes to v4l2loopback's private event about its readers (version 0.13 and later).
int cv4l2_subscribe_readers(int fd);

/// The newest such event, without waiting, and only of a descriptor that has subscribed to nothing else: 1
/// and how many read the device (v4l2loopback says 0 or 1); 0: there is no new event; or -errno.
int cv4l2_next_readers(int fd, uint32_t *count);

#endif
