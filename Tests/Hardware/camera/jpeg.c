// A JPEG of blocks that are each of one colour: no transform, and cheap enough to be made anew for each frame
// under emulation. ITU-T T.81: baseline, 4:2:2, one scan, with the Huffman tables of its annex K.

#include <string.h>

#include "frame.h"

static uint8_t *out;
static uint32_t bits;
static unsigned bit_count;

static void put_bits(uint32_t value, unsigned count) {
    bits = bits << count | value;
    bit_count += count;
    while (bit_count >= 8) {
        uint8_t byte = (uint8_t)(bits >> (bit_count -= 8));
        *out++ = byte;
        if (byte == 0xff) {
            *out++ = 0;
        }
    }
}

/// A code of annex K: its value and its length.
struct word {
    uint8_t code, length;
};

/// For the difference's number of bits.
static const struct word luma_words[] = {{0, 2}, {2, 3}, {3, 3}, {4, 3}, {5, 3}, {6, 3}, {14, 4}, {30, 5}, {62, 6}};
static const struct word chroma_words[] = {{0, 2}, {1, 2}, {2, 2}, {6, 3}, {14, 4}, {30, 5}, {62, 6}, {126, 7}, {254, 8}};
static const struct word luma_end = {10, 4}, chroma_end = {0, 2};

/// With 8 as the quantiser the coefficient of a flat block is its level.
static void put_block(int level, int *before, const struct word *words, struct word end) {
    int difference = level - *before;
    *before = level;
    unsigned size = difference ? 32u - (unsigned)__builtin_clz((unsigned)(difference < 0 ? -difference : difference)) : 0;
    put_bits(words[size].code, words[size].length);
    put_bits((uint32_t)(difference < 0 ? difference - 1 : difference) & ((1u << size) - 1), size);
    put_bits(end.code, end.length);
}

static void put_scan(struct size size, uint32_t code, uint8_t darker) {
    int luma = 0, blue = 0, red = 0;
    bits = bit_count = 0;
    for (unsigned y = 0; y < size.height; y += 8) {
        int red_level = frame_chroma(y + 4, size.height) - 128;
        for (unsigned x = 0; x < size.width; x += 16) {
            put_block(frame_luma(code, size, darker, x + 4, y + 4) - 128, &luma, luma_words, luma_end);
            put_block(frame_luma(code, size, darker, x + 12, y + 4) - 128, &luma, luma_words, luma_end);
            put_block(frame_chroma(x + 8, size.width) - 128, &blue, chroma_words, chroma_end);
            put_block(red_level, &red, chroma_words, chroma_end);
        }
    }
    put_bits(0x7f, 7);  // fills the last byte with ones
}

static void put(const void *bytes, unsigned length) {
    memcpy(out, bytes, length);
    out += length;
}

#define BYTES(...) put((const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

/// One table: how many codes there are of each length up to 16, then what they mean. Of annex K's tables for
/// coefficients that aren't the first, only the head is here: their end-of-block is all that flat blocks
/// need.
static void put_tables(void) {
    BYTES(0xff, 0xc4, 0, 19 + 12, 0x00, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    BYTES(0xff, 0xc4, 0, 19 + 6, 0x10, 0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 0x11);
    BYTES(0xff, 0xc4, 0, 19 + 12, 0x01, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    BYTES(0xff, 0xc4, 0, 19 + 2, 0x11, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
}

unsigned jpeg_make(struct size size, uint32_t code, uint8_t darker, bool huffman_tables, uint8_t *bytes) {
    out = bytes;
    BYTES(0xff, 0xd8);
    if (huffman_tables) {
        BYTES(0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);
        put_tables();
    } else {
        BYTES(0xff, 0xe0, 0, 16, 'A', 'V', 'I', '1', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    BYTES(0xff, 0xdb, 0, 67, 0);
    memset(out, 8, 64);
    out += 64;
    BYTES(0xff, 0xc0, 0, 17, 8, size.height >> 8, size.height & 255, size.width >> 8, size.width & 255);
    BYTES(3, 1, 0x21, 0, 2, 0x11, 0, 3, 0x11, 0);
    BYTES(0xff, 0xda, 0, 12, 3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0);
    put_scan(size, code, darker);
    BYTES(0xff, 0xd9);
    return (unsigned)(out - bytes);
}
