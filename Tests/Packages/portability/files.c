// CLinux: files, descriptors and signals. Argument: a folder for files.
#include "CLinux.h"
#include "samples.h"

int main(int count, char **arguments) {
    require(count == 2, "a folder");
    char path[512], other[512];
    snprintf(path, sizeof path, "%s/file", arguments[1]);
    snprintf(other, sizeof other, "%s/other", arguments[1]);
    int file = clinux_make_file_anew(path, 0640);
    require(file >= 0, "make");
    require(clinux_make_file(path, 0640) == -EEXIST, "a file that exists");
    enum { length = 100000 };
    uint8_t *bytes = make_samples(length, 3), *back = malloc(length);
    require(clinux_write_all(file, bytes, length) == 0, "write");
    require(clinux_write_all_at(file, bytes, 10, length - 5) == 0, "write at");
    require(clinux_fdatasync(file) == 0 && clinux_fsync(file) == 0, "sync");
    int64_t size, written;
    require(clinux_stat(path, &size, &written) == 0 && size == length + 5 && written > 0, "stat");
    require(lseek(file, 0, SEEK_SET) == 0 && clinux_read(file, back, length) == length, "read");
    print("bytes", checksum(back, length));
    require(clinux_try_lock(file) == 0, "lock");
    int again = clinux_open(path, O_RDWR, 0);
    require(clinux_try_lock(again) == -EWOULDBLOCK, "a lock that is taken");
    require(clinux_rename(path, other) == 0 && clinux_stat(path, &size, &written) == -ENOENT, "rename");
    require(clinux_link(other, path) == 0 && clinux_unlink(path) == 0 && clinux_unlink(other) == 0, "link");
    require(clinux_is_folder(arguments[1]) && !clinux_is_folder(path), "folder");

    int event = clinux_eventfd();
    clinux_eventfd_signal(event);
    struct pollfd ready = {.fd = event, .events = POLLIN};
    struct timespec limit = {.tv_sec = 5};
    require(clinux_ppoll(&ready, 1, &limit) == 1 && ready.revents == POLLIN, "event");
    clinux_eventfd_drain(event);
    limit.tv_sec = 0;
    require(clinux_ppoll(&ready, 1, &limit) == 0, "no event");

    const int signals[] = {SIGTERM, SIGHUP};
    require(clinux_block_signals(signals, 2) == 0, "block");
    int fd = clinux_signalfd(signals, 2);
    require(fd >= 0 && clinux_signalfd_next(fd) == -EAGAIN, "no signal");
    kill(getpid(), SIGHUP);
    require(clinux_signalfd_next(fd) == SIGHUP, "signal");

    int watch = clinux_inotify(arguments[1]);
    require(watch >= 0, "inotify");
    close(clinux_make_file(path, 0640));
    require(clinux_inotify_has(watch, "fi") == 1 && clinux_inotify_has(watch, "fi") == 0, "a file that appears");
    clinux_unlink(path);
    int port = clinux_free_port();
    require(port > 0 && port < 65536 && !clinux_is_listening(port), "port");
    printf("done\n");
}
