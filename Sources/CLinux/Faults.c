// What happens when the process ends by a fault. The handlers only make calls that are safe in them
// (signal-safety(7)).
#include "CLinux.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static char fault_file[PATH_MAX];
static char abort_message[256];
static int abort_code;

static void handle(int signal, void (*handler)(int)) {
    // The default action follows.
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
    sigaction(signal, &action, NULL);
}

static void count_fault(int signal) {
    int file = open(fault_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (file >= 0 && write(file, "x", 1) == 1) close(file);
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
