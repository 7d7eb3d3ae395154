#include "CV4L2.h"
#include "Call.h"

#include <linux/media.h>
#include <linux/videodev2.h>

int cv4l2_format_entry(int fd, uint32_t buffers, uint32_t index, struct cv4l2_format_entry *entry) {
    struct v4l2_fmtdesc found = {.index = index, .type = buffers};
    int result = call(fd, VIDIOC_ENUM_FMT, &found);
    if (result < 0) return result;
    *entry = (struct cv4l2_format_entry){.pixel_format = found.pixelformat, .flags = found.flags};
    copy(entry->description, found.description, sizeof entry->description);
    return 0;
}

static struct cv4l2_interval interval_of(struct v4l2_fract found) {
    return (struct cv4l2_interval){found.numerator, found.denominator};
}

int cv4l2_intervals(
    int fd, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index, struct cv4l2_intervals *intervals) {
    struct v4l2_frmivalenum found = {
        .index = index, .pixel_format = pixel_format, .width = width, .height = height};
    int result = call(fd, VIDIOC_ENUM_FRAMEINTERVALS, &found);
    if (result < 0) return result;
    if (found.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
        struct cv4l2_interval one = interval_of(found.discrete);
        *intervals = (struct cv4l2_intervals){one, one, {0, 0}};
    } else {
        *intervals = (struct cv4l2_intervals){
            interval_of(found.stepwise.min), interval_of(found.stepwise.max), interval_of(found.stepwise.step)};
    }
    return 0;
}

int cv4l2_media_device(int fd, struct cv4l2_media_device *device) {
    struct media_device_info found = {0};
    int result = call(fd, MEDIA_IOC_DEVICE_INFO, &found);
    if (result < 0) return result;
    copy(device->driver, found.driver, sizeof device->driver);
    copy(device->model, found.model, sizeof device->model);
    copy(device->serial, found.serial, sizeof device->serial);
    copy(device->bus, found.bus_info, sizeof device->bus);
    device->revision = found.hw_revision;
    device->version = found.driver_version;
    return 0;
}

int cv4l2_media_entity(int fd, uint32_t after, struct cv4l2_media_entity *entity) {
    struct media_entity_desc found = {.id = after | MEDIA_ENT_ID_FLAG_NEXT};
    int result = call(fd, MEDIA_IOC_ENUM_ENTITIES, &found);
    if (result < 0) return result;
    *entity = (struct cv4l2_media_entity){
        .id = found.id, .type = found.type, .flags = found.flags, .pads = found.pads, .links = found.links,
        .major = found.dev.major, .minor = found.dev.minor};
    copy(entity->name, found.name, sizeof entity->name);
    return 0;
}
