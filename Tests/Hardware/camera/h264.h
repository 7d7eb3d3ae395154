#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

// The camera's H.264: an elementary stream from a file, which is sent over and over, an access unit in each
// frame. Each access unit of the file begins with a delimiter, and the first one is a key frame.

enum { h264_width = 640, h264_height = 480 };

/// Reads the file. False, with `errno`, if it can't be read.
bool h264_open(const char *path);

/// A stream begins: with a key frame.
void h264_begin(void);

/// Stores the next access unit; returns its length. 0: there is none to be sent now.
unsigned h264_make(uint8_t *bytes);

/// How many access units were stored since the program's start, and the place in the file of the next one.
void h264_position(unsigned *made, unsigned *place);

/// The control of the extension unit: the next frame is a key frame.
void h264_key_control(const int32_t *values, instant time);

/// From now on key frames are left out, or no longer.
void h264_withhold_keys(bool on);

/// Leaves out so many of the next frames that are no key frames, without a trace on the bus.
void h264_drop(unsigned count);

/// Cuts so many of the next frames that are no key frames off after a few bytes.
void h264_damage(unsigned count);
