#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "formats.h"

// The video interfaces: what is agreed on with the host (UVC 1.1, section 4.3.1.1), and the frames.

enum { longest_control_of_stream = 34 };

/// Answers a request about the negotiation with an interface; the length of the answer, or 0 to refuse.
unsigned stream_read(uint8_t interface, uint8_t selector, uint8_t request, uint8_t *bytes);
/// Takes the format that the host requests, or its start of the stream; 0 to refuse.
unsigned stream_write(uint8_t interface, uint8_t selector, const uint8_t *bytes, unsigned length);
void stream_stop(uint8_t endpoint);
void stream_stop_all(void);

/// Makes no frames until then; what streams, stands still.
void stream_freeze(instant until);

/// Frames of this width are refused from now on: by probe, or not before their stream begins.
void stream_refuse(bool at_start, unsigned width);

/// From now on frames of this format are refused, by probe and by commit; 0: none are.
void stream_refuse_format(enum format format);

/// A request for frames of this width gets the smallest.
void stream_replace(unsigned width);

/// Sends as much of frames as is due and requested; returns when to be called again.
instant stream_serve(instant time);
