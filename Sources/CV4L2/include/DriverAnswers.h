// What a driver answers, of nodes of all kinds and with V4L2's numbers. CV4L2.h includes this file. Each
// function does one call to the driver and returns 0, or -errno; -EINVAL ends an enumeration.
#ifndef DRIVER_ANSWERS_H
#define DRIVER_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

/// VIDIOC_ENUM_FMT. `buffers` is a V4L2_BUF_TYPE.
struct cv4l2_format_entry {
    char description[32];
    uint32_t pixel_format, flags;
};
int cv4l2_format_entry(int fd, uint32_t buffers, uint32_t index, struct cv4l2_format_entry *entry);

/// A number of seconds.
struct cv4l2_interval {
    uint32_t numerator, denominator;
};
/// VIDIOC_ENUM_FRAMEINTERVALS: one interval (`step` is 0 / 0), or all from the least to the greatest in
/// steps.
struct cv4l2_intervals {
    struct cv4l2_interval least, greatest, step;
};
int cv4l2_intervals(
    int fd, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index, struct cv4l2_intervals *intervals);

/// VIDIOC_G_FMT of pictures, with one or several planes.
struct cv4l2_present_format {
    struct cv4l2_format format;
    uint32_t field, colorspace, transfer, encoding, quantization, flags;
};
int cv4l2_present_format(int fd, uint32_t buffers, struct cv4l2_present_format *present);

/// MEDIA_IOC_DEVICE_INFO, of a media controller.
struct cv4l2_media_device {
    char driver[16], model[32], serial[40], bus[32];
    uint32_t revision, version;
};
int cv4l2_media_device(int fd, struct cv4l2_media_device *device);

/// MEDIA_IOC_ENUM_ENTITIES: the first entity with an id above `after`.
struct cv4l2_media_entity {
    uint32_t id, type, flags, pads, links, major, minor;
    char name[32];
};
int cv4l2_media_entity(int fd, uint32_t after, struct cv4l2_media_entity *entity);

#endif
