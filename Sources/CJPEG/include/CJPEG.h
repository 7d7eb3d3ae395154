// libjpeg-turbo's planes, in and out, with its errors as results. Imported by Media/Imaging alone.
//
// A reader or writer belongs to one thread and keeps its memory: once a picture of a kind has passed, the
// next needs nothing allocated (but for progressive JPEGs, whose coefficients libjpeg-turbo allocates for
// each).
#pragma once

#include <stddef.h>
#include <stdint.h>

enum jpeg_colours { JPEG_YCBCR, JPEG_GRAY, JPEG_RGB, JPEG_CMYK, JPEG_OTHER };

struct jpeg_head {
    int width, height;
    enum jpeg_colours colours;
    int columns, rows;  // Luma columns and rows that share a chroma sample; 0: not a fixed number.
};

// Encoders make 10 scans of a progressive JPEG; each costs the time of a whole picture.
enum { JPEG_MOST_SCANS = 20 };

struct jpeg_reader;

struct jpeg_reader *jpeg_reader_new(void);  // NULL when memory runs out
void jpeg_reader_free(struct jpeg_reader *reader);

// Reads the head of a JPEG, which is borrowed until the next call. Width and height are 0 where there are
// only tables. 0, or -1: see jpeg_reader_message.
int jpeg_reader_open(struct jpeg_reader *reader, const uint8_t *bytes, size_t length, struct jpeg_head *head);

// Where the samples go: for each component, the first row's start and the bytes from row to row. Rows are
// written to the end of their last block, and to the end of the JPEG's own groups of rows.
struct jpeg_target {
    uint8_t *start;
    int stride;
};

// How a JPEG that is open comes out when it is decoded 1, 2, 4 or 8 times smaller (the reduction).
struct jpeg_layout {
    // Luma samples of the smaller picture that share a chroma sample; coarse chroma may come finer.
    int columns, rows;
    int group;          // Luma rows that are decoded together.
};
int jpeg_reader_lay_out(struct jpeg_reader *reader, int reduction, struct jpeg_layout *layout);

// Decodes the rows from `first` (a multiple of the group) up to `end`, both in the smaller picture. What lies
// above is read but not transformed, what lies below isn't read at all. A warning is a failure, because what
// follows it is gray or garbled; so are more than JPEG_MOST_SCANS, which take minutes and have no other
// purpose, and coefficients of more than 32 MiB, which only a JPEG of several scans keeps. To be called once
// after jpeg_reader_lay_out. 0 or -1.
int jpeg_reader_decode(struct jpeg_reader *reader, int first, int end, const struct jpeg_target targets[3]);

// libjpeg-turbo's error message for the last failure, valid until the next call.
const char *jpeg_reader_message(const struct jpeg_reader *reader);

struct jpeg_writer;

struct jpeg_writer *jpeg_writer_new(void);
void jpeg_writer_free(struct jpeg_writer *writer);

struct jpeg_source {
    const uint8_t *start;
    int stride, width, height;
};

// Encodes a baseline JPEG (accurate DCT, the standard's Huffman tables) of one or three planes, of which the
// chroma planes have a sample for so many columns and rows of luma. The bytes written, or 0: see
// jpeg_writer_message.
size_t jpeg_writer_encode(struct jpeg_writer *writer, const struct jpeg_source *planes, int count, int columns,
                          int rows, int quality, uint8_t *file, size_t capacity);

const char *jpeg_writer_message(const struct jpeg_writer *writer);

// A way to turn and mirror a picture: columns and rows are reversed, or not, and then exchanged, or not.
struct jpeg_turn {
    int reversed_columns, reversed_rows, exchanged;
};

// Turns a JPEG without decoding its samples: the coefficients and the quantisation stay the same, and so do
// comments and application segments, such as EXIF. The result is a baseline JPEG with the standard's Huffman
// tables. It keeps the coefficients in memory, 32 MiB at most.
//
// Returns the bytes written; 0: it can't be turned in this way, because the picture does not end with a whole
// unit (MCU) at an edge that becomes the left or top one, or is progressive, or has too many coefficients, or
// would need more bytes than the capacity, or has what a baseline JPEG can't have; -1: it is damaged, see
// jpeg_reader_message.
long jpeg_turn_losslessly(struct jpeg_reader *reader, struct jpeg_writer *writer, const uint8_t *bytes, size_t length,
                          const struct jpeg_turn *turn, uint8_t *file, size_t capacity);
