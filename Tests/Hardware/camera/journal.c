#include "journal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

static FILE *file;

void journal_open(const char *camera) {
    char path[128];
    snprintf(path, sizeof path, "/run/camera/%s.log", camera);
    file = fopen(path, "a");
    if (!file) {
        perror(path);
        exit(1);
    }
    setvbuf(file, NULL, _IOLBF, 0);
}

void journal(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fprintf(file, "%" PRIu64 " ", now());
    vfprintf(file, format, values);
    fputc('\n', file);
    va_end(values);
}
