#include "Output.h"
#include "Call.h"

#include <linux/videodev2.h>
#include <poll.h>
#include <unistd.h>

/// v4l2loopback's event; its header is not among the kernel's.
enum { CLIENT_USAGE = V4L2_EVENT_PRIVATE_START + 0x08E00000 + 1 };

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
