#include "CPacking.h"

// The factors and offsets are those of Media/Movies/LimitedRange.swift, which OutputPictureTests compares
// for all samples. They are constants here: as arguments they keep the compiler from making good vector
// instructions, and a picture takes four times as long.
static inline uint8_t limited_luma(uint8_t sample) {
    return (uint8_t)((uint16_t)(sample * 220 + 16 * 256 + 128) >> 8);
}

static inline uint8_t limited_chroma(uint8_t sample) {
    return (uint8_t)((uint16_t)(sample * 225 + 4096) >> 8);
}

void pack_luma_row(const uint8_t *restrict luma, uint8_t *restrict target, size_t count) {
    for (size_t i = 0; i < count; i++) target[i] = limited_luma(luma[i]);
}

void pack_chroma_row(const uint8_t *restrict chroma, uint8_t *restrict target, size_t count) {
    for (size_t i = 0; i < count; i++) target[i] = limited_chroma(chroma[i]);
}

void pack_chroma_pairs(
    const uint8_t *restrict first, const uint8_t *restrict second, uint8_t *restrict target, size_t count) {
    for (size_t i = 0; i < count; i++) {
        target[2 * i] = limited_chroma(first[i]);
        target[2 * i + 1] = limited_chroma(second[i]);
    }
}

void pack_groups(
    const uint8_t *restrict luma, const uint8_t *restrict blue, const uint8_t *restrict red, uint8_t *restrict target,
    size_t count, int chroma_first) {
    if (chroma_first) {
        for (size_t i = 0; i < count; i++) {
            target[4 * i] = limited_chroma(blue[i]);
            target[4 * i + 1] = limited_luma(luma[2 * i]);
            target[4 * i + 2] = limited_chroma(red[i]);
            target[4 * i + 3] = limited_luma(luma[2 * i + 1]);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            target[4 * i] = limited_luma(luma[2 * i]);
            target[4 * i + 1] = limited_chroma(blue[i]);
            target[4 * i + 2] = limited_luma(luma[2 * i + 1]);
            target[4 * i + 3] = limited_chroma(red[i]);
        }
    }
}
