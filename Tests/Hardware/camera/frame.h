#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "formats.h"

// The picture. It encodes the position of the lens when it was made, and which part of it is in view, over
// and over:
//
// - Luma: 32 by 16 cells, each dark or light. They repeat a tile of 8 by 4: the 32 bits of `frame_code`, row
//   by row, the highest first.
// - Chroma: Cb grows linearly from left to right, Cr from top to bottom, both from 80 to 176.
//
// So a part of it, scaled and compressed, can still be identified. `picture.py` reads it. In a frame that is
// too dark, all luma is lower.

enum { cell_columns = 32, cell_rows = 16, tile_columns = 8, tile_rows = 4 };
enum { dark = 96, light = 160, darkest = 80, chroma_low = 80, chroma_span = 96 };

/// 16 bits zoom, 8 bits of a count of frames, 8 bits to check.
uint32_t frame_code(uint16_t zoom, uint8_t count);

/// Room for the largest frame.
uint8_t *frame_buffer(void);

/// Makes a frame, by so much darker (0 to `darkest`); returns its length.
unsigned frame_make(enum format format, struct size size, uint32_t code, uint8_t darker, uint8_t *bytes);

/// From now on each JPEG is the content of this file, whatever its size; NULL ends that. False, with `errno`,
/// if there is no such file.
bool frame_replay(const char *path);

/// The luma of the cell that holds this pixel.
static inline uint8_t frame_luma(uint32_t code, struct size size, uint8_t darker, unsigned x, unsigned y) {
    unsigned column = x * cell_columns / size.width % tile_columns, row = y * cell_rows / size.height % tile_rows;
    return (uint8_t)((code >> (31 - (row * tile_columns + column)) & 1 ? light : dark) - darker);
}

static inline uint8_t frame_chroma(unsigned at, unsigned length) {
    return (uint8_t)(chroma_low + chroma_span * at / length);
}

unsigned jpeg_make(struct size size, uint32_t code, uint8_t darker, bool huffman_tables, uint8_t *bytes);
