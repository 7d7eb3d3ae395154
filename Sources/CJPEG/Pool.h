// Memory for libjpeg-turbo that is kept from one picture to the next: its own manager gives all of it back to
// the heap after each.
#pragma once

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

struct jpeg_pool {
    unsigned char *memory;
    size_t size, used;
    size_t wanted;  // Bytes requested beyond the size; the pool grows by them for the next picture.
    struct jpeg_memory_mgr library;
};

// Replaces the object's allocator. Earlier allocations stay with the old one. From now on the pool uses
// `object->client_data`.
void jpeg_pool_serve(struct jpeg_pool *pool, j_common_ptr object);

// Frees everything that was allocated since jpeg_pool_serve, of any lifetime (JPOOL_…). The object must not
// refer to any of it.
void jpeg_pool_reset(struct jpeg_pool *pool);

void jpeg_pool_free(struct jpeg_pool *pool);
