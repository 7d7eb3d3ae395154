// Preloaded into an agent that runs under valgrind: the clock of its loop (CLOCK_BOOTTIME, and the timeouts
// of ppoll) goes as much slower as the agent does. What happens at intervals then has about its usual share
// of the instructions, whatever else the machine does.
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { slowdown = 100 };

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * INT64_C(1000000000) + time->tv_nsec; }

static struct timespec timespec_of(int64_t nanoseconds) {
    return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int64_t start;
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock != CLOCK_BOOTTIME || result != 0) return result;
    int64_t now = nanoseconds(time);
    if (!start) start = now;
    *time = timespec_of(start + (now - start) / slowdown);
    return 0;
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    static int (*next)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "ppoll");
    if (!limit) return next(descriptors, count, NULL, mask);
    struct timespec longer = timespec_of(nanoseconds(limit) * slowdown);
    return next(descriptors, count, &longer, mask);
}
