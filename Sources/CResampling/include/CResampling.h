// Weighted means of rows of bytes: the vertical pass of a resampler. Imported by Media/Imaging alone.
#pragma once

#include <stdint.h>

// Weights with a sum of 128 (RESAMPLING_ONE) for up to this many taps: enough for six taps scaled up, and
// twelve down to a half. With more taps each weight has more digits, and their sum is 16,384
// (RESAMPLING_FINE_ONE).
#define RESAMPLING_FEW_TAPS 12
#define RESAMPLING_ONE 128
#define RESAMPLING_FINE_ONE 16384

// Makes each of `rows` rows of `width` samples of `taps` rows of the source: weights[row * taps + tap] is
// the weight of source row first[row] + tap. `source` points to row `source_first`, of `source_rows`
// rows; rows before the first or past the last are the first or the last. `taps` is even when there are few
// of them. The sum of the weights' magnitudes is at most twice their sum.
void weigh_rows(const uint8_t *source, int source_stride, int source_first, int source_rows, uint8_t *target,
                int target_stride, int width, int rows, const int32_t *first, const int16_t *weights, int taps);
