// Capture by libasound, which is loaded by name when the first microphone is opened: no part of the program's
// start. A capture belongs to one thread.
#ifndef CALSA_H
#define CALSA_H

#include <stddef.h>
#include <stdint.h>

struct calsa_message {
    char text[256];
};

/// The library's file name.
extern const char *const calsa_library;

/// Loads the library and finds all of its functions that we use. 0, or -1 with the reason. Any thread, any
/// number of times.
int calsa_load(const char *library, struct calsa_message *reason);

struct calsa_capture;

/// Opens an ALSA device for signed samples of 16 bits, and starts it. Blocks for as long as the driver does,
/// but fails immediately if another program uses the device. `buffer`: duration that the device buffers
/// between two reads, in microseconds; a period is a fourth of it. 0, or -errno with the reason.
int calsa_open(
    const char *device, int rate, int channels, int buffer, struct calsa_capture **capture, struct calsa_message *reason);

/// Waits at most `wait` milliseconds, then reads at most `room` samples of each channel, interleaved. Returns
/// their number, or -errno. `behind`: the age of the first of them, in samples.
long calsa_read(struct calsa_capture *capture, int wait, int16_t *samples, long room, long *behind);

/// Continues after an error of calsa_read, such as samples that were not read in time; they are lost. 0, or
/// -errno.
int calsa_recover(struct calsa_capture *capture, int error);

/// Describes an error of calsa_read.
void calsa_describe_error(int error, struct calsa_message *message);
void calsa_close(struct calsa_capture *capture);

#endif
