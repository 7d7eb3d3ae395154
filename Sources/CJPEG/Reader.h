// What Reader.c and Turn.c share.
#pragma once

#include "CJPEG.h"
#include "Failure.h"
#include "Pool.h"

struct jpeg_reader {
    struct jpeg_decompress_struct object;
    struct jpeg_failure failure;
    struct jpeg_progress_mgr progress;
    struct jpeg_pool pool;
};
