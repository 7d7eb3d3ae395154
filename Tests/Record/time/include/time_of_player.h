#pragma once
#include <stdint.h>

/// Lets the clocks and the random numbers of this process come from here. What a sequence prints depends on
/// nothing else then, wherever the code that it runs takes them from.
void player_time_begin(void);

/// Begins a sequence: time is at its beginning, random numbers are those of a seed.
void player_time_reset(uint64_t seed);

/// The time since the beginning.
void player_time_set(int64_t nanoseconds);
