// The libraries called the plain way, for comparison: how long they themselves take for a photo.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Milliseconds that one photo spent in each library, and the length of the JPEG that was made.
struct photo_times {
    double decode, scale, encode;
    size_t bytes;
};

struct photo_libraries;

// Allocates, once, what photos of this JPEG need. The JPEG is borrowed until photo_libraries_free; it must be
// one in YCbCr whose sides are multiples of 16. NULL when it isn't, or when memory runs out.
struct photo_libraries *photo_libraries_new(const uint8_t *jpeg, size_t length);

// In pixels; x and width are even.
struct photo_part {
    int x, y, width, height;
};

// Decodes the whole JPEG, scales a part of it to a size (of even width, and not larger than the JPEG's)
// unless it has it, and encodes that. Returns 0, or -1 when a library failed; photo_libraries_words has the
// reason.
int photo_libraries_run(struct photo_libraries *libraries, const struct photo_part *part, int width, int height,
                        int quality, struct photo_times *times);

// Turns the JPEG by a quarter clockwise, or by a half, without loss. Returns 0, or -1 when that fails.
int photo_libraries_turn(struct photo_libraries *libraries, int is_quarter, double *milliseconds);

// The photo that was made last.
const uint8_t *photo_libraries_file(const struct photo_libraries *libraries, size_t *length);

const char *photo_libraries_words(struct photo_libraries *libraries);

void photo_libraries_free(struct photo_libraries *libraries);
