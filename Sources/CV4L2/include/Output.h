// What only devices need that take pictures, to show them to other programs or on a screen. As in CV4L2.h,
// each function does one call to the driver and returns 0, or -errno.
#ifndef CV4L2_OUTPUT_H
#define CV4L2_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

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
