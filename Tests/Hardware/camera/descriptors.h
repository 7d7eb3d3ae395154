#pragma once
#include <stdint.h>

/// The descriptor of this type (USB 2.0, table 9-5) and index; its length, or 0 when there is none.
unsigned descriptor(uint8_t type, uint8_t index, uint8_t *bytes);

enum { longest_descriptor = 1024 };
