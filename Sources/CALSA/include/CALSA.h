// Capture by libasound, which is loaded by name when the first microphone is opened: no part of the program's
// start. A capture belongs to one thread.
#ifndef CALSA_H
#define CALSA_H

#include <stddef.h>
#include <stdint.h>

struct calsa_words {
    char text[256];
};

/// The library's file name.
extern const char *const calsa_library;

/// Loads the library and finds all of its functions that we use. 0, or -1 with the reason. Any thread, any
/// number of times.
int calsa_load(const char *library, struct calsa_words *reason);

struct calsa_capture;

/// Opens a device of ALSA's for signed samples of 16 bits, and starts it. Blocks for as long as the driver
/// pleases, though not for a device that somebody else has. `buffer`: how much it holds while nobody reads,
/// in microseconds; it gives a fourth of that at a time. 0, or -errno with the reason.
int calsa_open(
    const char *device, int rate, int channels, int buffer, struct calsa_capture **capture, struct calsa_words *reason);

/// Waits so many milliseconds at most, then takes at most so many samples of each channel, interleaved. How
/// many there were, or -errno. `behind`: how long ago the first of them was heard, in samples.
long calsa_read(struct calsa_capture *capture, int wait, int16_t *samples, long room, long *behind);

/// Goes on after an error of calsa_read, such as samples that nobody took in time; they are lost. 0, or
/// -errno when it can't.
int calsa_recover(struct calsa_capture *capture, int error);

/// What an error of calsa_read means.
void calsa_say(int error, struct calsa_words *words);
void calsa_close(struct calsa_capture *capture);

#endif
