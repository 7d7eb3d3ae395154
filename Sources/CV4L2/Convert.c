#include "CV4L2.h"

#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <limits.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
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

// Copies samples to rows without gaps; of each two rows the mean, if there are twice as many.
static void gather(const struct cv4l2_samples *from, uint32_t width, uint32_t rows, uint8_t *to) {
    bool in_pairs = from->rows != rows;
    for (uint32_t row = 0; row < rows; row++, to += width) {
        const uint8_t *here = from->start + (in_pairs ? 2 * (size_t)row : row) * from->stride;
        const uint8_t *below = here + from->stride;
        if (in_pairs)
            for (uint32_t x = 0; x < width; x++)
                to[x] = (uint8_t)((here[x * from->step] + below[x * from->step]) / 2);
        else if (from->step == 1)
            memcpy(to, here, width);
        else
            for (uint32_t x = 0; x < width; x++) to[x] = here[x * from->step];
    }
}

void cv4l2_gather(
    const struct cv4l2_samples samples[3], uint32_t width, uint32_t height, bool full_range, uint8_t *to) {
    size_t luma = (size_t)width * height, chroma = luma / 4;
    gather(&samples[0], width, height, to);
    for (int i = 0; i < 2; i++) gather(&samples[1 + i], width / 2, height / 2, to + luma + i * chroma);
    if (!full_range) widen(to, luma, 2 * chroma);
}

static bool is_yuv(uint32_t format) {
    switch (format) {
    case V4L2_PIX_FMT_YUYV: case V4L2_PIX_FMT_UYVY: case V4L2_PIX_FMT_YVYU: case V4L2_PIX_FMT_VYUY:
    case V4L2_PIX_FMT_NV12: case V4L2_PIX_FMT_NV21: case V4L2_PIX_FMT_NV16: case V4L2_PIX_FMT_YUV420:
    case V4L2_PIX_FMT_YVU420: return true;
    default: return false;
    }
}

// The device that libv4lconvert sees: one that has a single format, no controls and no identity. Of a real
// one it would read the USB identity, which the camera chooses: for some it turns pictures, or changes their
// colours in the driver's own memory.
static int no_device(void *context, int fd, unsigned long request, void *argument) {
    (void)context, (void)fd;
    // A device without any format would get controls made by libv4lconvert.
    if (request == VIDIOC_ENUM_FMT && ((const struct v4l2_fmtdesc *)argument)->index == 0) return 0;
    errno = EINVAL;
    return -1;
}

static const struct libv4l_dev_ops no_devices = {.ioctl = no_device};

static int fail(struct cv4l2_reason *reason, const char *words) {
    snprintf(reason->words, sizeof reason->words, "%s", words);
    return -1;
}

// Makes RGB24 of RGB565: libv4lconvert would take red for blue, and read a row beyond the frame. NULL: out of
// memory.
static uint8_t *widened_rgb565(const uint8_t *frame, size_t pixels) {
    uint8_t *made = malloc(pixels * 3);
    if (!made) return NULL;
    for (size_t i = 0; i < pixels; i++) {
        unsigned pixel = frame[2 * i] | (unsigned)frame[2 * i + 1] << 8;
        unsigned red = pixel >> 11, green = pixel >> 5 & 63, blue = pixel & 31;
        made[3 * i] = (uint8_t)(red << 3 | red >> 2);
        made[3 * i + 1] = (uint8_t)(green << 2 | green >> 4);
        made[3 * i + 2] = (uint8_t)(blue << 3 | blue >> 2);
    }
    return made;
}

int cv4l2_convert(
    const struct cv4l2_format *format, const uint8_t *frame, size_t length, uint8_t *to, struct cv4l2_reason *reason) {
    if (format->pixel_format == V4L2_PIX_FMT_RGB565) {
        size_t pixels = length / 2;
        uint8_t *wide = widened_rgb565(frame, pixels);
        if (!wide) return fail(reason, "out of memory");
        struct cv4l2_format rgb24 = *format;
        rgb24.pixel_format = V4L2_PIX_FMT_RGB24;
        rgb24.planes[0].stride = format->width * 3;
        rgb24.planes[0].size = (uint32_t)(pixels * 3);
        int result = cv4l2_convert(&rgb24, wide, pixels * 3, to, reason);
        free(wide);
        return result;
    }
    size_t luma = (size_t)format->width * format->height, size = luma + luma / 2;
    // libv4lconvert multiplies such sizes by 3 in an int.
    if (length > INT_MAX || luma > INT_MAX / 4) return fail(reason, "too large a frame");
    struct v4lconvert_data *converter = v4lconvert_create_with_dev_ops(-1, NULL, &no_devices);
    if (!converter) return fail(reason, "libv4lconvert is out of memory");
    struct v4l2_format from = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE}, into = from;
    from.fmt.pix.pixelformat = format->pixel_format;
    from.fmt.pix.width = into.fmt.pix.width = format->width;
    from.fmt.pix.height = into.fmt.pix.height = format->height;
    from.fmt.pix.bytesperline = format->planes[0].stride;
    from.fmt.pix.sizeimage = format->planes[0].size;
    from.fmt.pix.field = into.fmt.pix.field = V4L2_FIELD_NONE;
    into.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
    into.fmt.pix.bytesperline = format->width;
    into.fmt.pix.sizeimage = (uint32_t)size;
    int made = v4lconvert_convert(converter, &from, &into, (unsigned char *)frame, (int)length, to, (int)size);
    if (made != (int)size) fail(reason, made < 0 ? v4lconvert_get_error_message(converter) : "a short frame");
    v4lconvert_destroy(converter);
    if (made != (int)size) return -1;
    // What libv4lconvert makes of RGB and Bayer is never of full range.
    if (!(format->full_range && is_yuv(format->pixel_format))) widen(to, luma, size - luma);
    return 0;
}
