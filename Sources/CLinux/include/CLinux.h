// What Swift can't import from Linux's headers: variadic functions, function-like macros, and errno that must
// be read in the call that failed. Each shim returns the call's result, or -errno.
#ifndef CLINUX_H
#define CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/// ppoll(2) without a signal mask; waits for ever when `limit` is NULL.
int clinux_ppoll(struct pollfd *descriptors, unsigned long count, const struct timespec *limit);

/// The seconds from 1970 to the day on which this file was compiled.
long clinux_build_time(void);

/// Names the calling thread, in at most 15 bytes.
void clinux_name_this_thread(const char *name);

/// Sends one datagram to a Unix socket; a path that begins with '@' is in the abstract namespace. 0, or
/// -errno.
int clinux_send_datagram(const char *path, const void *bytes, size_t count);

/// A TCP port of 127.0.0.1 without a listener, or -errno.
int clinux_free_port(void);

/// Whether a TCP port of 127.0.0.1 has a listener.
int clinux_is_listening(int port);

/// Starts a program (found by PATH; argv ends with NULL) that ends when we do, with its output to `log`. Its
/// process id, or -errno.
int clinux_start_bound(const char *const *argv, int log);

/// Starts a program as `clinux_start_bound` does, with a socket as its standard input and output;
/// `connection` is our end of it. Its standard error is ours. Its process id, or -errno.
int clinux_start_connected(const char *const *argv, int *connection);

/// The path by which this process was started, as execve(2) had it; NULL if the kernel doesn't tell.
const char *clinux_program_path(void);

/// Runs a program in place of this one, with the same environment (execv(3)). Of the descriptors, only the
/// standard streams stay open. Returns -errno, on failures only.
int clinux_replace_process(const char *path, char *const *argv);

/// open(2) by its system call, close-on-exec: no library that was loaded before the C library sees it.
int clinux_open_by_system_call(const char *path, int flags);

/// close(2) by its system call. A library that was loaded before the C library may know another file by the
/// same number, if the thread has a table of descriptors of its own.
void clinux_close_by_system_call(int fd);

/// Whether this process calls a function of the C library in another library, with this file name.
int clinux_is_preloaded(const char *function, const char *library);

/// Loads a library, and writes the reason if that fails. 0, or -1.
int clinux_try_library(const char *path, char *reason, size_t room);

/// Gives the calling thread a table of descriptors of its own, with the standard streams only: what it opens
/// and closes from then on, no other thread of the process sees. 0, or -errno.
int clinux_use_own_descriptors(void);

/// Whether another process has a lock on a file or device (lockf(3)). To be called on a thread with a table
/// of descriptors of its own: otherwise this process would lose its locks on the file.
int clinux_is_locked_by_others(const char *path);

/// A new eventfd, close-on-exec and non-blocking.
static inline int clinux_eventfd(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

/// Adds one to an eventfd. It can only fail when the count is full, and then the reader is awake anyway.
static inline void clinux_eventfd_signal(int fd) {
    uint64_t one = 1;
    ssize_t ignored = write(fd, &one, sizeof one);
    (void)ignored;
}

/// Resets the count of an eventfd to zero.
static inline void clinux_eventfd_drain(int fd) {
    uint64_t count;
    ssize_t ignored = read(fd, &count, sizeof count);
    (void)ignored;
}

/// Blocks these signals in the calling thread, and in the threads that it starts from now on.
static inline int clinux_block_signals(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    int failed = pthread_sigmask(SIG_BLOCK, &set, NULL);
    return failed ? -failed : 0;
}

/// A descriptor that becomes readable when one of these (blocked) signals arrives.
static inline int clinux_signalfd(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

/// A descriptor that becomes readable when something is made, removed or given other rights in a folder; or
/// -errno.
static inline int clinux_inotify(const char *folder) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return -errno;
    if (inotify_add_watch(fd, folder, IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO) >= 0) return fd;
    int failed = errno;
    close(fd);
    return -failed;
}

/// Reads all events of a descriptor of clinux_inotify. Returns whether one has a name with this prefix.
static inline int clinux_inotify_has(int fd, const char *beginning) {
    int found = 0;
    for (;;) {
        _Alignas(struct inotify_event) char bytes[4096];
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got <= 0) return found;
        for (ssize_t at = 0; at < got;) {
            // The kernel pads names, so that each event is aligned.
            const struct inotify_event *event = (const void *)(bytes + at);
            if (event->len && strncmp(event->name, beginning, strlen(beginning)) == 0) found = 1;
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
}

/// The next signal that waits in a signalfd, or -EAGAIN.
static inline int clinux_signalfd_next(int fd) {
    struct signalfd_siginfo info;
    ssize_t got = read(fd, &info, sizeof info);
    return got == (ssize_t)sizeof info ? (int)info.ssi_signo : -EAGAIN;
}

/// A descriptor that becomes readable each time that the machine's time of day is set (timerfd_create(2),
/// TFD_TIMER_CANCEL_ON_SET), also by a leap second; not while its rate is adjusted. Or -errno.
static inline int clinux_clock_steps(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -errno;
    // Only a timer that is set is cancelled: this one would fire in the year 2242.
    struct itimerspec late = {.it_value.tv_sec = (time_t)1 << 33};
    if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &late, NULL) == 0) return fd;
    int failed = errno;
    close(fd);
    return -failed;
}

/// Whether the time of day was set since the last call for a descriptor of clinux_clock_steps.
static inline int clinux_clock_was_set(int fd) {
    uint64_t count;
    return read(fd, &count, sizeof count) < 0 && errno == ECANCELED;
}

/// The largest error of the machine's time of day in microseconds, as its synchronisation has told the kernel
/// (adjtimex(2), without privileges). It grows by 500 in each second, to 16,000,000 at most. Or -errno.
static inline int64_t clinux_clock_error(void) {
    struct timex state = {.modes = 0};
    return adjtimex(&state) < 0 ? -errno : state.maxerror;
}

/// open(2), close-on-exec.
static inline int clinux_open(const char *path, int flags, mode_t mode) {
    int fd = open(path, flags | O_CLOEXEC, mode);
    return fd < 0 ? -errno : fd;
}

/// The modes of files and folders that contain pictures, recordings or state, before the umask: other users
/// may not read them.
#define CLINUX_FILE_MODE 0640
#define CLINUX_FOLDER_MODE 0750

/// Makes an empty file with a mode (less the umask), for reading and writing, close-on-exec. A descriptor, or
/// -errno (-EEXIST: the name is in use, also by a symbolic link, which is not followed).
static inline int clinux_make_file(const char *path, mode_t mode) {
    return clinux_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

/// As clinux_make_file, in place of a file or a symbolic link that has the name. The file that was there, or
/// that the link names, is not opened: it may have other rights, or belong to another program.
static inline int clinux_make_file_anew(const char *path, mode_t mode) {
    if (unlink(path) < 0 && errno != ENOENT) return -errno;
    return clinux_make_file(path, mode);
}

/// fchown(2). 0, or -errno.
static inline int clinux_chown(int fd, uid_t user, gid_t group) { return fchown(fd, user, group) < 0 ? -errno : 0; }

/// Writes all the bytes, going on after interruptions and short writes. 0, or -errno.
static inline int clinux_write_all(int fd, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t wrote = write(fd, at, count);
        if (wrote < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        at += wrote;
        count -= (size_t)wrote;
    }
    return 0;
}

/// A regular file's size in bytes and when it was last written, in nanoseconds since 1970. 0, or -errno
/// (-ENOENT: also if the name is that of something else, such as a symbolic link, which is not followed).
static inline int clinux_stat(const char *path, int64_t *size, int64_t *written) {
    struct stat info;
    if (lstat(path, &info) < 0) return -errno;
    if (!S_ISREG(info.st_mode)) return -ENOENT;
    *size = info.st_size;
    *written = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    return 0;
}

/// Opens a folder; below another one (`above` ≥ 0) only if it is no symbolic link. Its descriptor, or -errno.
static inline int clinux_open_folder(int above, const char *name) {
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (above >= 0 ? O_NOFOLLOW : 0);
    int fd = openat(above >= 0 ? above : AT_FDCWD, name, flags);
    return fd < 0 ? -errno : fd;
}

/// What identifies the content of a file, without reading it. Times are in nanoseconds since 1970.
struct clinux_file {
    int64_t size;
    uint64_t device;
    uint64_t number;
    int64_t written;
    int64_t changed;
};

static inline int clinux_describe(const struct stat *info, struct clinux_file *file) {
    if (!S_ISREG(info->st_mode)) return -ENOENT;
    file->size = info->st_size;
    file->device = info->st_dev;
    file->number = info->st_ino;
    file->written = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
    file->changed = (int64_t)info->st_ctim.tv_sec * 1000000000 + info->st_ctim.tv_nsec;
    return 0;
}

/// Describes a regular file of a folder. 0, or -errno (-ENOENT: also if the name is that of something else,
/// such as a symbolic link, which is not followed).
static inline int clinux_stat_at(int folder, const char *name, struct clinux_file *file) {
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
    return clinux_describe(&info, file);
}

/// Opens a regular file of a folder for reading, and describes it. Its descriptor, or -errno (as
/// clinux_stat_at; -ELOOP: a symbolic link).
static inline int clinux_open_at(int folder, const char *name, struct clinux_file *file) {
    // Without O_NONBLOCK a pipe would wait for its writer.
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -errno;
    struct stat info;
    int code = fstat(fd, &info) < 0 ? -errno : clinux_describe(&info, file);
    if (code == 0) return fd;
    close(fd);
    return code;
}

/// unlinkat(2) of a file, never of a folder. 0, or -errno.
static inline int clinux_unlink_at(int folder, const char *name) {
    return unlinkat(folder, name, 0) < 0 ? -errno : 0;
}

/// Reads at a position of a file, as much as there is up to `room`: how many bytes, or -errno.
static inline ssize_t clinux_read_at(int fd, void *bytes, size_t room, off_t position) {
    size_t count = 0;
    while (count < room) {
        ssize_t got = pread(fd, (char *)bytes + count, room - count, position + (off_t)count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -errno;
        if (got == 0) break;
        count += (size_t)got;
    }
    return (ssize_t)count;
}

/// Writes at most 4096 bytes if that can't block; otherwise -EAGAIN.
static inline int clinux_write_if_ready(int fd, const void *bytes, size_t count) {
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    // A pipe is ready when it takes PIPE_BUF bytes.
    if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT)) return -EAGAIN;
    ssize_t wrote = write(fd, bytes, count < 4096 ? count : 4096);
    return wrote < 0 ? -errno : 0;
}

/// Opens /dev/null as those of the descriptors 0, 1 and 2 that are closed, so that no file of ours becomes
/// one of them.
static inline void clinux_hold_standard_descriptors(void) {
    int fd;
    do fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2) close(fd);
}

/// malloc_trim(3): returns to the system what was freed and is kept for later.
static inline void clinux_trim_heap(void) { malloc_trim(0); }

/// Gives the calling thread nice 0 if it has a higher priority, and not otherwise.
static inline void clinux_lower_priority_to_normal(void) {
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, 0);
    if (errno == 0 && nice < 0) setpriority(PRIO_PROCESS, 0, 0);
}

/// fsync(2). 0, or -errno.
static inline int clinux_fsync(int fd) { return fsync(fd) < 0 ? -errno : 0; }

/// Writes all bytes at a position of a file. Returns 0, or a negated errno: a disk that takes only a part is
/// full.
static inline int clinux_write_all_at(int fd, const void *bytes, size_t count, off_t position) {
    const char *rest = (const char *)bytes;
    while (count > 0) {
        ssize_t written = pwrite(fd, rest, count, position);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -errno;
        if (written == 0) return -ENOSPC;
        rest += written;
        position += written;
        count -= (size_t)written;
    }
    return 0;
}

/// Reserves disk space for these bytes of a file without changing its size. 0, or -errno.
int clinux_reserve(int fd, off_t position, off_t count);

/// Sets the size of a file, and frees the space that is reserved beyond it. 0, or -errno.
static inline int clinux_truncate(int fd, off_t size) { return ftruncate(fd, size) < 0 ? -errno : 0; }

/// Waits until the disk has a file's content, and its size if that has changed. Returns 0, or a negated
/// errno.
static inline int clinux_fdatasync(int fd) { return fdatasync(fd) < 0 ? -errno : 0; }

/// rename(2). 0, or -errno.
static inline int clinux_rename(const char *from, const char *to) { return rename(from, to) < 0 ? -errno : 0; }

/// Renames a file unless the new name is in use. 0, or -errno (-EEXIST: it is).
int clinux_rename_new(const char *from, const char *to);

/// link(2). 0, or -errno.
static inline int clinux_link(const char *from, const char *to) { return link(from, to) < 0 ? -errno : 0; }

/// unlink(2). 0, or -errno.
static inline int clinux_unlink(const char *path) { return unlink(path) < 0 ? -errno : 0; }

/// mkdir(2). 0, or -errno.
static inline int clinux_make_folder(const char *path, mode_t mode) { return mkdir(path, mode) < 0 ? -errno : 0; }

/// Whether a path is that of a folder, and not of a symbolic link to one.
static inline int clinux_is_folder(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/// Takes an exclusive lock that ends with the process, without waiting. 0, or -errno (-EWOULDBLOCK: another
/// process has it).
static inline int clinux_try_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0; }

/// Waits for an exclusive lock of a file or folder (flock(2)); closing the descriptor releases it. 0, or
/// -errno.
static inline int clinux_lock(int fd) {
    while (flock(fd, LOCK_EX) < 0) {
        if (errno != EINTR) return -errno;
    }
    return 0;
}

/// read(2), going on after interruptions: how many bytes, 0 at the end, or -errno.
static inline ssize_t clinux_read(int fd, void *bytes, size_t room) {
    for (;;) {
        ssize_t got = read(fd, bytes, room);
        if (got >= 0) return got;
        if (errno != EINTR) return -errno;
    }
}

/// From now on a fault that ends the process (SIGABRT, SIGSEGV and the like) appends a byte to a file before.
/// The first process of a container executes itself again after half a second.
void clinux_count_faults(const char *path);

/// From now on SIGABRT writes a message to standard error and ends the process with an exit code.
void clinux_exit_on_abort(const char *message, int code);

#endif
