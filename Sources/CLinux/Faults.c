// What happens when the process ends by a fault. The handlers only make calls that are safe in them
// (signal-safety(7)).
#define _GNU_SOURCE
#include "CLinux.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static char fault_file[PATH_MAX];
static char abort_message[256];
static int abort_code;
static char **arguments;

static void handle(int signal, void (*handler)(int)) {
    // The default action follows.
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND | SA_NODEFER};
    sigaction(signal, &action, NULL);
}

// glibc gives constructors the arguments of main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    (void)count;
    arguments = values;
}

static void count_fault(int signal) {
    int file = open(fault_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (file >= 0 && write(file, "x", 1) == 1) close(file);
    // No other process may start process 1 of a container again, so it executes itself. Signals that ask for
    // its end stay blocked until the new run receives them.
    if (getpid() == 1) {
        poll(NULL, 0, 500);
        close_range(STDERR_FILENO + 1, ~0U, 0);
        execv("/proc/self/exe", arguments);
    }
    raise(signal);
}

void clinux_count_faults(const char *path) {
    static const int faults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
    snprintf(fault_file, sizeof fault_file, "%s", path);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) handle(faults[i], count_fault);
}

static void exit_on_abort(int signal) {
    (void)signal;
    ssize_t written = write(STDERR_FILENO, abort_message, strlen(abort_message));
    (void)written;
    _exit(abort_code);
}

void clinux_exit_on_abort(const char *message, int code) {
    snprintf(abort_message, sizeof abort_message, "%s", message);
    abort_code = code;
    handle(SIGABRT, exit_on_abort);
}
