// These functions take the place of those of libc, in this program and in the libraries that it loads.
#define _GNU_SOURCE
#include "time_of_player.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static bool is_virtual = false;
static int64_t now = 0;
static uint64_t random_state = 0;

static const int64_t epoch_seconds = 1790000000;
static const int64_t boot_seconds = 1000;

void player_time_begin(void) {
    // A line is written when it ends: an end by a signal loses none.
    setvbuf(stdout, NULL, _IOLBF, 0);
    is_virtual = true;
}

void player_time_reset(uint64_t seed) {
    now = 0;
    random_state = seed;
}

void player_time_set(int64_t nanoseconds) { now = nanoseconds; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_virtual) { return (int)syscall(SYS_clock_gettime, clock, time); }
    bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    time->tv_sec = (is_wall ? epoch_seconds : boot_seconds) + now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    time->tv_sec = precise.tv_sec;
    time->tv_usec = precise.tv_nsec / 1000;
    return result;
}

// SplitMix64.
static uint8_t random_byte(void) {
    random_state += 0x9E3779B97F4A7C15;
    uint64_t mixed = random_state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return (uint8_t)(mixed >> 56);
}

// The runtime of Swift makes the system call itself.
long syscall(long number, ...) {
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int place = 0; place < 6; place++) { arguments[place] = va_arg(list, long); }
    va_end(list);
    if (is_virtual && number == SYS_getrandom) {
        for (long place = 0; place < arguments[1]; place++) { ((uint8_t *)arguments[0])[place] = random_byte(); }
        return arguments[1];
    }
    static long (*original)(long, ...) = NULL;
    if (original == NULL) { original = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"); }
    return original(
        number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

ssize_t getrandom(void *bytes, size_t count, unsigned int flags) {
    return syscall(SYS_getrandom, bytes, count, (long)flags);
}
