#pragma once
#include <stddef.h>
#include <stdint.h>

// Numbers as USB writes them: the low byte first.

static inline void store(uint8_t *at, uint32_t value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline uint32_t load(const uint8_t *at, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint32_t)at[i] << 8 * i;
    }
    return value;
}
