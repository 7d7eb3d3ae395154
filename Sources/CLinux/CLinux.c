// The shims that need GNU extensions, which headers seen as modules don't show, and those that are too long
// to inline.
#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

int clinux_ppoll(struct pollfd *descriptors, unsigned long count, const struct timespec *limit) {
    int ready = ppoll(descriptors, count, limit, NULL);
    return ready < 0 ? -errno : ready;
}

long clinux_build_time(void) {
    struct tm day = {0};
    return strptime(__DATE__, "%b %d %Y", &day) ? timegm(&day) : 0;
}

void clinux_name_this_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int clinux_rename_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    // Some file systems lack this flag.
    int code = clinux_link(from, to);
    return code < 0 ? code : clinux_unlink(from);
}

int clinux_reserve(int fd, off_t position, off_t count) {
    for (;;) {
        if (fallocate(fd, FALLOC_FL_KEEP_SIZE, position, count) == 0) return 0;
        if (errno != EINTR) return -errno;
    }
}

int clinux_send_datagram(const char *path, const void *bytes, size_t count) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) return -EINVAL;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') address.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    ssize_t sent = sendto(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, size);
    int result = sent < 0 ? -errno : 0;
    close(fd);
    return result;
}

/// Starts a program that ends when we do, with these descriptors as its standard input (-1: that of this
/// program), standard output and standard error.
static int start_bound(const char *const *argv, int in, int out, int error) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child > 0) return child;
    // In the child: only calls that are safe between fork and exec.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    if (in >= 0) dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    // Its own process group: the terminal's Ctrl-C reaches only this program, which ends the child.
    setpgid(0, 0);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
}

int clinux_start_bound(const char *const *argv, int log) { return start_bound(argv, -1, log, log); }

int clinux_start_connected(const char *const *argv, int *connection) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    int child = start_bound(argv, ends[1], ends[1], STDERR_FILENO);
    close(ends[1]);
    if (child < 0) close(ends[0]);
    else *connection = ends[0];
    return child;
}

const char *clinux_program_path(void) { return (const char *)getauxval(AT_EXECFN); }

int clinux_replace_process(const char *path, char *const *argv) {
    // Libraries don't open all of their descriptors close-on-exec. Kernels before 5.11 ignore this.
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    execv(path, argv);
    return -errno;
}

int clinux_open_by_system_call(const char *path, int flags) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_is_preloaded(const char *function, const char *library) {
    void *address = dlsym(RTLD_DEFAULT, function);
    Dl_info found;
    if (!address || dladdr(address, &found) == 0 || !found.dli_fname) return 0;
    const char *slash = strrchr(found.dli_fname, '/');
    return strcmp(slash ? slash + 1 : found.dli_fname, library) == 0;
}

int clinux_try_library(const char *path, char *reason, size_t room) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const char *words = library ? NULL : dlerror();
    snprintf(reason, room, "%s", words ? words : "");
    return library ? 0 : -1;
}

int clinux_use_own_descriptors(void) {
    return close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_UNSHARE) < 0 ? -errno : 0;
}

void clinux_close_by_system_call(int fd) { syscall(SYS_close, fd); }

int clinux_is_locked_by_others(const char *path) {
    int fd = clinux_open_by_system_call(path, O_RDWR | O_NONBLOCK);
    if (fd < 0) return 0;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int asked = fcntl(fd, F_GETLK, &lock);
    clinux_close_by_system_call(fd);
    // A lock belongs to a table of descriptors: those of the other threads are reported as well.
    return asked == 0 && lock.l_type != F_UNLCK && lock.l_pid != getpid();
}

static int loopback_socket(struct sockaddr_in *address, int port) {
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

int clinux_free_port(void) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    int fd = loopback_socket(&address, 0);
    if (fd < 0) return fd;
    int port = -EADDRNOTAVAIL;
    if (bind(fd, (struct sockaddr *)&address, size) == 0 && getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        port = ntohs(address.sin_port);
    }
    close(fd);
    return port;
}

int clinux_is_listening(int port) {
    struct sockaddr_in address;
    int fd = loopback_socket(&address, port);
    if (fd < 0) return 0;
    int answered = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return answered;
}
