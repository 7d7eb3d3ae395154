#include "frame.h"

#include <stdio.h>
#include <stdlib.h>

#include "options.h"

uint32_t frame_code(uint16_t zoom, uint8_t count) {
    uint8_t check = (uint8_t)(zoom >> 8 ^ zoom ^ count ^ 0xa5);
    return (uint32_t)zoom << 16 | (uint32_t)count << 8 | check;
}

uint8_t *frame_buffer(void) {
    uint8_t *bytes = malloc(largest_frame);
    if (!bytes) {
        perror("camera");
        exit(1);
    }
    return bytes;
}

static unsigned yuyv_make(struct size size, uint32_t code, uint8_t darker, uint8_t *bytes) {
    static uint32_t line[1920 / 2];
    uint32_t *out = (uint32_t *)bytes;
    unsigned pairs = size.width / 2, row = cell_rows;
    for (unsigned y = 0; y < size.height; y++) {
        if (row != y * cell_rows / size.height) {
            row = y * cell_rows / size.height;
            for (unsigned x = 0; x < pairs; x++) {
                uint32_t left = frame_luma(code, size, darker, 2 * x, y), right = frame_luma(code, size, darker, 2 * x + 1, y);
                line[x] = left | right << 16 | (uint32_t)frame_chroma(x, pairs) << 8;
            }
        }
        uint32_t red = (uint32_t)frame_chroma(y, size.height) << 24;
        for (unsigned x = 0; x < pairs; x++) {
            *out++ = line[x] | red;
        }
    }
    return 4 * pairs * size.height;
}

unsigned frame_make(enum format format, struct size size, uint32_t code, uint8_t darker, uint8_t *bytes) {
    return format == mjpg ? jpeg_make(size, code, darker, options.huffman_tables, bytes) : yuyv_make(size, code, darker, bytes);
}
