#pragma once

/// Opens the log of what reached the camera: one line for each, after the time in nanoseconds of
/// CLOCK_MONOTONIC.
void journal_open(const char *camera);

/// Adds one line.
__attribute__((format(printf, 1, 2))) void journal(const char *format, ...);
