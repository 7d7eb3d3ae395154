#pragma once
#include <stdint.h>
#include <time.h>

/// Nanoseconds of CLOCK_MONOTONIC, the clock that V4L2 stamps its buffers with.
typedef uint64_t instant;

enum { millisecond = 1000000, second = 1000000000 };
#define NEVER UINT64_MAX

static inline instant now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (instant)time.tv_sec * second + (instant)time.tv_nsec;
}

static inline instant earlier(instant a, instant b) {
    return a < b ? a : b;
}
