#include "CV4L2.h"
#include "Call.h"

#include <linux/media.h>
#include <linux/videodev2.h>

int cv4l2_pixel_format(struct cv4l2_node node, uint32_t index, uint32_t *pixel_format) {
    struct v4l2_fmtdesc found = {.index = index, .type = node.buffers};
    int result = call(node.fd, VIDIOC_ENUM_FMT, &found);
    if (result == 0) *pixel_format = found.pixelformat;
    return result;
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
        *intervals = (struct cv4l2_intervals){one, one};
    } else {
        *intervals = (struct cv4l2_intervals){
            interval_of(found.stepwise.min), interval_of(found.stepwise.max)};
    }
    return 0;
}

int cv4l2_media_device(int fd, struct cv4l2_media_device *device) {
    struct media_device_info found = {0};
    int result = call(fd, MEDIA_IOC_DEVICE_INFO, &found);
    if (result < 0) return result;
    copy(device->model, found.model, sizeof device->model);
    copy(device->serial, found.serial, sizeof device->serial);
    copy(device->bus, found.bus_info, sizeof device->bus);
    return 0;
}

int cv4l2_media_entity(int fd, uint32_t after, struct cv4l2_media_entity *entity) {
    struct media_entity_desc found = {.id = after | MEDIA_ENT_ID_FLAG_NEXT};
    int result = call(fd, MEDIA_IOC_ENUM_ENTITIES, &found);
    if (result < 0) return result;
    *entity = (struct cv4l2_media_entity){
        .id = found.id, .type = found.type, .major = found.dev.major, .minor = found.dev.minor};
    return 0;
}
