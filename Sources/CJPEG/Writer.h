// What Writer.c and Turn.c share.
#pragma once

#include "CJPEG.h"
#include "Failure.h"
#include "Pool.h"

struct jpeg_writer {
    struct jpeg_compress_struct object;
    struct jpeg_failure failure;
    struct jpeg_pool pool;
    struct jpeg_destination_mgr destination;
    uint8_t *padded;  // Rows of planes that don't end with a block.
    size_t padded_size;
};
