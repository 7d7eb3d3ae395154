// Planes of samples as the pixel formats of output devices have them. Imported by Media/Imaging alone.
#pragma once

#include <stddef.h>
#include <stdint.h>

// From samples of 0 to 255 to those of ITU-R BT.601's limited range: luma 16 to 235, chroma 16 to 240.

// A row of luma samples, or of one kind of chroma samples.
void pack_luma_row(const uint8_t *luma, uint8_t *target, size_t count);
void pack_chroma_row(const uint8_t *chroma, uint8_t *target, size_t count);

// A row in which two kinds of chroma samples take turns: `count` of each.
void pack_chroma_pairs(const uint8_t *first, const uint8_t *second, uint8_t *target, size_t count);

// A row of `count` groups of two luma samples and one of each kind of chroma: Y U Y V, or U Y V Y if
// `chroma_first` is not 0.
void pack_groups(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *target, size_t count,
                 int chroma_first);
