#include "CResampling.h"

#include <stddef.h>

static inline int inside(int row, int rows) { return row < 0 ? 0 : row >= rows ? rows - 1 : row; }

// Few taps: in 16 bits, of which a vector has the most. Samples count from -128 to 127, so that the sum of up
// to twice the weight of one (128) fits. Inlined into one function for each kind of processor.
static inline __attribute__((always_inline)) void few(uint8_t *restrict target, const uint8_t *const *rows,
                                                      const int16_t *weights, int taps, int width) {
    for (int x = 0; x < width; x++) {
        int16_t sum = RESAMPLING_ONE / 2;
        for (int tap = 0; tap < taps; tap++)
            sum = (int16_t)(sum + (int16_t)(weights[tap] * (int8_t)(rows[tap][x] ^ 0x80)));
        sum = (int16_t)(sum >> 7);
        sum = sum < -128 ? -128 : sum > 127 ? 127 : sum;
        target[x] = (uint8_t)(sum ^ 0x80);
    }
}

// The number of taps is a constant in each case, so that the loop over them is unrolled.
static inline __attribute__((always_inline)) void few_unrolled(uint8_t *target, const uint8_t *const *rows,
                                                               const int16_t *weights, int taps, int width) {
    switch (taps) {
    case 2: few(target, rows, weights, 2, width); break;
    case 4: few(target, rows, weights, 4, width); break;
    case 6: few(target, rows, weights, 6, width); break;
    case 8: few(target, rows, weights, 8, width); break;
    case 10: few(target, rows, weights, 10, width); break;
    default: few(target, rows, weights, 12, width); break;
    }
}

static void few_anywhere(uint8_t *target, const uint8_t *const *rows, const int16_t *weights, int taps, int width) {
    few_unrolled(target, rows, weights, taps, width);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void few_avx2(uint8_t *target, const uint8_t *const *rows,
                                                     const int16_t *weights, int taps, int width) {
    few_unrolled(target, rows, weights, taps, width);
}
#endif

// Many taps: in 32 bits, a piece of the row at a time.
static void many(uint8_t *restrict target, const uint8_t *source, int stride, int source_rows, int first,
                 const int16_t *weights, int taps, int width) {
    enum { PIECE = 256 };
    int32_t sums[PIECE];
    for (int start = 0; start < width; start += PIECE) {
        int count = width - start < PIECE ? width - start : PIECE;
        for (int x = 0; x < count; x++) sums[x] = RESAMPLING_FINE_ONE / 2;
        for (int tap = 0; tap < taps; tap++) {
            const uint8_t *samples = source + (ptrdiff_t)inside(first + tap, source_rows) * stride + start;
            for (int x = 0; x < count; x++) sums[x] += weights[tap] * samples[x];
        }
        for (int x = 0; x < count; x++) {
            int32_t mean = sums[x] >> 14;
            target[start + x] = (uint8_t)(mean < 0 ? 0 : mean > 255 ? 255 : mean);
        }
    }
}

void weigh_rows(const uint8_t *source, int source_stride, int source_first, int source_rows, uint8_t *target,
                int target_stride, int width, int rows, const int32_t *first, const int16_t *weights, int taps) {
    void (*weigh)(uint8_t *, const uint8_t *const *, const int16_t *, int, int) = few_anywhere;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) weigh = few_avx2;
#endif
    for (int row = 0; row < rows; row++, weights += taps, target += target_stride) {
        int from = first[row] - source_first;
        if (taps > RESAMPLING_FEW_TAPS) {
            many(target, source, source_stride, source_rows, from, weights, taps, width);
            continue;
        }
        const uint8_t *inputs[RESAMPLING_FEW_TAPS];
        for (int tap = 0; tap < taps; tap++)
            inputs[tap] = source + (ptrdiff_t)inside(from + tap, source_rows) * source_stride;
        weigh(target, inputs, weights, taps, width);
    }
}
