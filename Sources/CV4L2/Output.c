#include "Output.h"
#include "Call.h"

#include <linux/videodev2.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

/// v4l2loopback's event; its header is not among the kernel's.
enum { CLIENT_USAGE = V4L2_EVENT_PRIVATE_START + 0x08E00000 + 1 };

static uint32_t type_of(struct cv4l2_output output) {
    return output.multi_planar ? V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE : V4L2_BUF_TYPE_VIDEO_OUTPUT;
}

int cv4l2_output_abilities(int fd, struct cv4l2_output_abilities *abilities) {
    struct v4l2_capability found = {0};
    int result = call(fd, VIDIOC_QUERYCAP, &found);
    if (result < 0) return result;
    uint32_t caps = found.capabilities & V4L2_CAP_DEVICE_CAPS ? found.device_caps : found.capabilities;
    // Codecs and scalers take pictures only to give them back.
    bool converts = caps & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE);
    *abilities = (struct cv4l2_output_abilities){
        .takes_pictures = !converts && caps & (V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_VIDEO_OUTPUT_MPLANE),
        .multi_planar = !(caps & V4L2_CAP_VIDEO_OUTPUT),
        .streams = caps & V4L2_CAP_STREAMING,
        .writes = caps & V4L2_CAP_READWRITE,
        .captures = caps & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)};
    return 0;
}

int cv4l2_output_pixel_format(struct cv4l2_output output, uint32_t index, uint32_t *pixel_format) {
    struct v4l2_fmtdesc found = {.index = index, .type = type_of(output)};
    int result = call(output.fd, VIDIOC_ENUM_FMT, &found);
    if (result == 0) *pixel_format = found.pixelformat;
    return result;
}

static int set_multi_planar_format(struct cv4l2_output output, struct cv4l2_output_format *format) {
    struct v4l2_format wanted = {.type = type_of(output)};
    struct v4l2_pix_format_mplane *pix = &wanted.fmt.pix_mp;
    (pix->pixelformat = format->pixel_format, pix->width = format->width, pix->height = format->height);
    (pix->field = V4L2_FIELD_NONE, pix->num_planes = 1, pix->colorspace = V4L2_COLORSPACE_SMPTE170M);
    (pix->ycbcr_enc = V4L2_YCBCR_ENC_601, pix->quantization = V4L2_QUANTIZATION_LIM_RANGE);
    int result = call(output.fd, VIDIOC_S_FMT, &wanted);
    if (result == 0)
        *format = (struct cv4l2_output_format){
            .pixel_format = pix->pixelformat, .width = pix->width, .height = pix->height,
            .stride = pix->plane_fmt[0].bytesperline, .size = pix->plane_fmt[0].sizeimage,
            .plane_count = pix->num_planes};
    return result;
}

int cv4l2_set_output_format(struct cv4l2_output output, struct cv4l2_output_format *format) {
    if (output.multi_planar) return set_multi_planar_format(output, format);
    struct v4l2_format wanted = {.type = type_of(output)};
    struct v4l2_pix_format *pix = &wanted.fmt.pix;
    (pix->pixelformat = format->pixel_format, pix->width = format->width, pix->height = format->height);
    (pix->field = V4L2_FIELD_NONE, pix->priv = V4L2_PIX_FMT_PRIV_MAGIC, pix->colorspace = V4L2_COLORSPACE_SMPTE170M);
    (pix->ycbcr_enc = V4L2_YCBCR_ENC_601, pix->quantization = V4L2_QUANTIZATION_LIM_RANGE);
    int result = call(output.fd, VIDIOC_S_FMT, &wanted);
    if (result == 0)
        *format = (struct cv4l2_output_format){
            .pixel_format = pix->pixelformat, .width = pix->width, .height = pix->height,
            .stride = pix->bytesperline, .size = pix->sizeimage, .plane_count = 1};
    return result;
}

int cv4l2_set_output_rate(struct cv4l2_output output, double rate) {
    struct v4l2_streamparm wanted = {.type = type_of(output)};
    wanted.parm.output.timeperframe.numerator = 1000;
    wanted.parm.output.timeperframe.denominator = (uint32_t)(rate * 1000 + 0.5);
    return call(output.fd, VIDIOC_S_PARM, &wanted);
}

int cv4l2_request_output_buffers(struct cv4l2_output output, uint32_t *count) {
    struct v4l2_requestbuffers wanted = {.count = *count, .type = type_of(output), .memory = V4L2_MEMORY_MMAP};
    int result = call(output.fd, VIDIOC_REQBUFS, &wanted);
    if (result == 0) *count = wanted.count;
    return result;
}

int cv4l2_map_output(struct cv4l2_output output, uint32_t index, uint8_t **start, size_t *length) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = {.index = index, .type = type_of(output), .memory = V4L2_MEMORY_MMAP};
    if (output.multi_planar) (buffer.m.planes = planes, buffer.length = VIDEO_MAX_PLANES);
    int result = call(output.fd, VIDIOC_QUERYBUF, &buffer);
    if (result < 0) return result;
    *length = output.multi_planar ? planes[0].length : buffer.length;
    off_t offset = output.multi_planar ? planes[0].m.mem_offset : buffer.m.offset;
    if (*length == 0) return -EINVAL;
    void *mapped = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, output.fd, offset);
    if (mapped == MAP_FAILED) return -errno;
    *start = mapped;
    return 0;
}

void cv4l2_unmap_output(uint8_t *start, size_t length) { munmap(start, length); }

int cv4l2_queue_output(struct cv4l2_output output, uint32_t index, uint32_t bytes) {
    struct v4l2_plane plane = {.bytesused = bytes};
    struct v4l2_buffer buffer = {
        .index = index, .type = type_of(output), .memory = V4L2_MEMORY_MMAP, .bytesused = bytes,
        .field = V4L2_FIELD_NONE};
    if (output.multi_planar) (buffer.m.planes = &plane, buffer.length = 1);
    return call(output.fd, VIDIOC_QBUF, &buffer);
}

int cv4l2_dequeue_output(struct cv4l2_output output, uint32_t *index) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = {.type = type_of(output), .memory = V4L2_MEMORY_MMAP};
    if (output.multi_planar) (buffer.m.planes = planes, buffer.length = VIDEO_MAX_PLANES);
    int result = call(output.fd, VIDIOC_DQBUF, &buffer);
    if (result == 0) *index = buffer.index;
    return result;
}

int cv4l2_stream_output(struct cv4l2_output output, bool on) {
    int type = (int)type_of(output);
    return call(output.fd, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

int cv4l2_write_picture(int fd, const uint8_t *picture, size_t length) {
    for (;;) {
        ssize_t written = write(fd, picture, length);
        // Drivers take a picture as a whole.
        if (written >= 0) return (size_t)written == length ? 0 : -EIO;
        if (errno != EINTR) return -errno;
    }
}

int cv4l2_wait_output(int fd, int milliseconds) {
    struct pollfd waited = {.fd = fd, .events = POLLOUT};
    int result = poll(&waited, 1, milliseconds);
    if (result < 0) return errno == EINTR ? 0 : -errno;
    if (result > 0 && !(waited.revents & POLLOUT)) return waited.revents & POLLHUP ? -ENODEV : -EIO;
    return result;
}

int cv4l2_subscribe_readers(int fd) {
    struct v4l2_event_subscription wanted = {.type = CLIENT_USAGE, .flags = V4L2_EVENT_SUB_FL_SEND_INITIAL};
    return call(fd, VIDIOC_SUBSCRIBE_EVENT, &wanted);
}

int cv4l2_next_readers(int fd, uint32_t *count) {
    int found = 0;
    for (;;) {
        struct v4l2_event event = {0};
        int result = call(fd, VIDIOC_DQEVENT, &event);
        if (result == -ENOENT || result == -EAGAIN) return found;
        if (result < 0) return result;
        if (event.type != CLIENT_USAGE) continue;
        memcpy(count, event.u.data, sizeof *count);
        found = 1;
    }
}
