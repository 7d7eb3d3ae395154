#define _GNU_SOURCE
#include "CAV.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int cav_reserve(int file, int64_t offset, int64_t count) {
    for (;;) {
        if (fallocate(file, FALLOC_FL_KEEP_SIZE, offset, count) == 0) return 0;
        if (errno != EINTR) return -errno;
    }
}

int cav_write_at(int file, const uint8_t *bytes, size_t count, int64_t offset) {
    while (count > 0) {
        ssize_t wrote = pwrite(file, bytes, count, offset);
        if (wrote < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        bytes += wrote;
        offset += wrote;
        count -= (size_t)wrote;
    }
    return 0;
}

int cav_truncate(int file, int64_t size) {
    return ftruncate(file, size) < 0 ? -errno : 0;
}
