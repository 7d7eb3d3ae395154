// What a driver answers, of nodes of all kinds and with V4L2's numbers. CV4L2.h includes this file. Each
// function does one call to the driver and returns 0, or -errno; -EINVAL ends an enumeration.
#ifndef DRIVER_ANSWERS_H
#define DRIVER_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

/// VIDIOC_ENUM_FMT.
int cv4l2_pixel_format(struct cv4l2_node node, uint32_t index, uint32_t *pixel_format);

/// A number of seconds.
struct cv4l2_interval {
    uint32_t numerator, denominator;
};
/// VIDIOC_ENUM_FRAMEINTERVALS: one interval, or all from the least to the greatest in steps.
struct cv4l2_intervals {
    struct cv4l2_interval least, greatest;
};
int cv4l2_intervals(
    int fd, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index, struct cv4l2_intervals *intervals);

/// MEDIA_IOC_DEVICE_INFO, of a media controller.
struct cv4l2_media_device {
    char model[32], serial[40], bus[32];
};
int cv4l2_media_device(int fd, struct cv4l2_media_device *device);

/// MEDIA_IOC_ENUM_ENTITIES: the first entity with an id above `after`.
struct cv4l2_media_entity {
    uint32_t id, type, major, minor;
};
int cv4l2_media_entity(int fd, uint32_t after, struct cv4l2_media_entity *entity);

#endif
