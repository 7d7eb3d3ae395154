// Samples that are the same on every machine, and a checksum that depends on each byte.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Numerical Recipes' linear congruential generator.
static inline uint8_t next_sample(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (uint8_t)(*state >> 24);
}

static inline uint8_t *make_samples(size_t count, uint32_t seed) {
    uint8_t *samples = malloc(count);
    if (!samples) abort();
    for (size_t at = 0; at < count; at++) samples[at] = next_sample(&seed);
    return samples;
}

// FNV-1a, 64 bits.
static inline uint64_t checksum(const void *bytes, size_t count) {
    uint64_t sum = 14695981039346656037u;
    for (size_t at = 0; at < count; at++) sum = (sum ^ ((const uint8_t *)bytes)[at]) * 1099511628211u;
    return sum;
}

static inline void print(const char *name, uint64_t value) { printf("%s %016llx\n", name, (unsigned long long)value); }

static inline void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}
