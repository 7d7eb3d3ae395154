#pragma once
#include <stdbool.h>

/// What the camera is, from the command line.
struct options {
    const char *name;     ///< of the command socket and the journal
    const char *product;
    const char *serial;
    int port;             ///< of the virtual host controller: 0 to 7
    unsigned nv12_bits;   ///< declared for a pixel of NV12, and sent; 0: the raw format is YUYV
    unsigned warm_up;     ///< so many frames of each stream are too dark, each less than the one before
    const char *h264;     ///< a file with a stream of H.264 to offer, also; NULL: none
    bool only_h264;       ///< without the other formats
    bool second_node;     ///< H.264 at a video interface of its own, beside the other formats
    bool huffman_tables;  ///< in its JPEGs; many cameras leave them out
    bool reports_arrival; ///< sends an event when the lens has come to rest
};

extern struct options options;

/// Reads the command line into `options`, the controls and the motors; ends the program when it makes no
/// sense.
void options_read(int count, char **words);
