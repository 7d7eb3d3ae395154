#include "CV4L2.h"

#include <libv4lconvert.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>

static uint8_t widened(int sample, int low, int span) {
    int wide = ((sample - low) * 255 + span / 2) / span;
    return wide < 0 ? 0 : wide > 255 ? 255 : (uint8_t)wide;
}

/// Stretches samples of 16 to 235 (chroma: 16 to 240) to 0 to 255.
static void widen(uint8_t *samples, size_t luma, size_t chroma) {
    uint8_t bright[256], colour[256];
    for (int i = 0; i < 256; i++) {
        bright[i] = widened(i, 16, 219);
        colour[i] = widened(i, 16, 224);
    }
    // No colour stays no colour.
    colour[128] = 128;
    for (size_t i = 0; i < luma; i++) samples[i] = bright[samples[i]];
    for (size_t i = luma; i < luma + chroma; i++) samples[i] = colour[samples[i]];
}

static bool is_yuv(uint32_t format) {
    switch (format) {
    case V4L2_PIX_FMT_YUYV: case V4L2_PIX_FMT_UYVY: case V4L2_PIX_FMT_YVYU: case V4L2_PIX_FMT_VYUY:
    case V4L2_PIX_FMT_NV12: case V4L2_PIX_FMT_NV21: case V4L2_PIX_FMT_NV16: case V4L2_PIX_FMT_YUV420:
    case V4L2_PIX_FMT_YVU420: return true;
    default: return false;
    }
}

int cv4l2_convert(
    int fd, const struct cv4l2_format *format, const uint8_t *frame, size_t used, uint8_t *to,
    struct cv4l2_reason *reason) {
    size_t luma = (size_t)format->width * format->height, size = luma * 3 / 2;
    struct v4lconvert_data *converter = v4lconvert_create(fd);
    if (!converter) {
        snprintf(reason->words, sizeof reason->words, "libv4lconvert is out of memory");
        return -1;
    }
    struct v4l2_format from = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE}, into = from;
    from.fmt.pix.pixelformat = format->pixel_format;
    from.fmt.pix.width = into.fmt.pix.width = format->width;
    from.fmt.pix.height = into.fmt.pix.height = format->height;
    from.fmt.pix.bytesperline = format->stride;
    from.fmt.pix.sizeimage = format->size;
    from.fmt.pix.field = into.fmt.pix.field = V4L2_FIELD_NONE;
    into.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
    into.fmt.pix.bytesperline = format->width;
    into.fmt.pix.sizeimage = (uint32_t)size;
    int made = v4lconvert_convert(converter, &from, &into, (unsigned char *)frame, (int)used, to, (int)size);
    if (made != (int)size) snprintf(reason->words, sizeof reason->words, "%s", made < 0 ? v4lconvert_get_error_message(converter) : "a short frame");
    v4lconvert_destroy(converter);
    if (made != (int)size) return -1;
    // What libv4lconvert makes of RGB and Bayer is never of full range.
    if (!(format->full_range && is_yuv(format->pixel_format))) widen(to, luma, size - luma);
    return 0;
}
