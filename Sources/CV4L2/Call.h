// Calls to drivers, for the files of this module.
#ifndef CALL_H
#define CALL_H

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

/// Does a call again that a signal has interrupted. Returns 0, or -errno.
static inline int call(int fd, unsigned long request, void *argument) {
    for (;;) {
        if (ioctl(fd, request, argument) >= 0) return 0;
        if (errno != EINTR) return -errno;
    }
}

/// Copies a driver's text, which need not end with 0.
static inline void copy(char *to, const void *from, size_t size) {
    memcpy(to, from, size);
    to[size - 1] = 0;
}

#endif
