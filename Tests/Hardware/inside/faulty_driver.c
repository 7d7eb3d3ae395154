// A library for LD_PRELOAD. To the program it looks as if a V4L2 driver, or libcamera's layer behind this
// library, made mistakes: the driver's answers are changed.
//
// /run/faults has the mistakes, a line for each: DEVICE MISTAKE PLANE NUMBER. (A device of libcamera is
// anon_inode:[eventfd].) The file is read for each call,
// so mistakes can begin and end while the program runs. A plane of memory counts from 0. Mistakes:
//
//   format_planes  the number of planes that the format has
//   width          of the format
//   stride         bytes in a row of the plane, as the format has them
//   buffer_planes  the number of planes that a buffer has
//   length         bytes of a plane of a buffer
//   frame_planes   the number of planes that were filled
//   used           bytes of a plane that were filled
//   offset         bytes before the samples in a plane
//   index          the buffer that was filled
//   stop_delay     milliseconds that a stream goes on after the call that ends it has begun

#include <dlfcn.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct mistakes {
    FILE *file;
    char device[64];
};

static int next(struct mistakes *of, char name[32], unsigned *plane, unsigned *number) {
    char device[64];
    while (fscanf(of->file, "%63s %31s %u %u", device, name, plane, number) == 4)
        if (strcmp(device, of->device) == 0 && *plane < VIDEO_MAX_PLANES) return 1;
    return 0;
}

static int is_multi_planar(unsigned type) { return type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE; }

static void change_format(struct v4l2_format *format, const char *name, unsigned plane, unsigned number) {
    struct v4l2_pix_format_mplane *several = &format->fmt.pix_mp;
    struct v4l2_pix_format *one = &format->fmt.pix;
    int is_multi = is_multi_planar(format->type);
    if (!strcmp(name, "width")) *(is_multi ? &several->width : &one->width) = number;
    if (!strcmp(name, "stride")) *(is_multi ? &several->plane_fmt[plane].bytesperline : &one->bytesperline) = number;
    if (!strcmp(name, "format_planes") && is_multi) several->num_planes = (__u8)number;
}

static void change_memory(struct v4l2_buffer *buffer, const char *name, unsigned plane, unsigned number) {
    int is_multi = is_multi_planar(buffer->type);
    if (!strcmp(name, "length")) *(is_multi ? &buffer->m.planes[plane].length : &buffer->length) = number;
    if (!strcmp(name, "buffer_planes") && is_multi) buffer->length = number;
}

static void change_frame(struct v4l2_buffer *buffer, const char *name, unsigned plane, unsigned number) {
    int is_multi = is_multi_planar(buffer->type);
    if (!strcmp(name, "index")) buffer->index = number;
    if (!strcmp(name, "used")) *(is_multi ? &buffer->m.planes[plane].bytesused : &buffer->bytesused) = number;
    if (!strcmp(name, "offset") && is_multi) buffer->m.planes[plane].data_offset = number;
    if (!strcmp(name, "frame_planes") && is_multi) buffer->length = number;
}

static int open_mistakes(int fd, struct mistakes *of) {
    char link[64];
    *of = (struct mistakes){.file = fopen("/run/faults", "r")};
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (of->file && readlink(link, of->device, sizeof of->device - 1) >= 0) return 1;
    if (of->file) fclose(of->file);
    return 0;
}

static void wait_before_stop(int fd) {
    struct mistakes mistakes;
    if (!open_mistakes(fd, &mistakes)) return;
    char name[32];
    unsigned plane, number;
    while (next(&mistakes, name, &plane, &number))
        if (!strcmp(name, "stop_delay")) usleep(number * 1000);
    fclose(mistakes.file);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    static int (*real)(int, unsigned long, ...);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    if (request == VIDIOC_STREAMOFF) wait_before_stop(fd);
    int result = real(fd, request, argument);
    int is_format = request == VIDIOC_G_FMT || request == VIDIOC_S_FMT;
    if (result < 0 || !(is_format || request == VIDIOC_QUERYBUF || request == VIDIOC_DQBUF)) return result;
    struct mistakes mistakes;
    if (!open_mistakes(fd, &mistakes)) return result;
    char name[32];
    unsigned plane, number;
    while (next(&mistakes, name, &plane, &number)) {
        if (is_format) change_format(argument, name, plane, number);
        if (request == VIDIOC_QUERYBUF) change_memory(argument, name, plane, number);
        if (request == VIDIOC_DQBUF) change_frame(argument, name, plane, number);
    }
    fclose(mistakes.file);
    return result;
}
