#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

unsigned declared_length(enum format format, struct size size) {
    unsigned bits = format == raw && options.nv12_bits ? options.nv12_bits : 16;
    return bits * size.width * size.height / 8;
}

const char *format_name(enum format format) {
    return format == h264 ? "H264" : format == mjpg ? "MJPG" : options.nv12_bits ? "NV12" : "YUYV";
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

/// Of the whole frame the camera sends as much as it declares: the luma alone, if 8 bits are all of a pixel.
static unsigned nv12_make(struct size size, uint32_t code, uint8_t darker, uint8_t *bytes) {
    uint8_t *out = bytes;
    for (unsigned y = 0; y < size.height; y++) {
        for (unsigned x = 0; x < size.width; x++) {
            *out++ = frame_luma(code, size, darker, x, y);
        }
    }
    for (unsigned y = 0; y < size.height; y += 2) {
        for (unsigned x = 0; x < size.width; x += 2) {
            *out++ = frame_chroma(x, size.width);
            *out++ = frame_chroma(y, size.height);
        }
    }
    return declared_length(raw, size);
}

static uint8_t *replayed;
static unsigned replayed_length;

bool frame_replay(const char *path) {
    free(replayed);
    replayed = NULL;
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) {
        return !path;
    }
    replayed = frame_buffer();
    replayed_length = (unsigned)fread(replayed, 1, largest_frame, file);
    fclose(file);
    return true;
}

static unsigned mjpg_make(struct size size, uint32_t code, uint8_t darker, uint8_t *bytes) {
    if (!replayed) {
        return jpeg_make(size, code, darker, options.huffman_tables, bytes);
    }
    memcpy(bytes, replayed, replayed_length);
    return replayed_length;
}

unsigned frame_make(enum format format, struct size size, uint32_t code, uint8_t darker, uint8_t *bytes) {
    if (format == mjpg) {
        return mjpg_make(size, code, darker, bytes);
    }
    return options.nv12_bits ? nv12_make(size, code, darker, bytes) : yuyv_make(size, code, darker, bytes);
}
