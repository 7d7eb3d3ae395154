// Memory for libjpeg-turbo that is kept from one picture to the next: its own manager gives all of it back to
// the heap after each.
#pragma once

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

struct jpeg_pool {
    unsigned char *memory;
    size_t size, used;
    size_t wanted;  // What the picture asked for beyond the size; the pool is that much larger for the next.
    struct jpeg_memory_mgr library;
};

// Takes the place of the object's allocator; what it has allocated so far isn't touched.
// `object->client_data` is the pool's from now on.
void jpeg_pool_serve(struct jpeg_pool *pool, j_common_ptr object);

// Forgets all that was allocated since jpeg_pool_serve, whatever the lifetime it was asked for with. The
// object must not refer to any of it.
void jpeg_pool_reset(struct jpeg_pool *pool);

void jpeg_pool_free(struct jpeg_pool *pool);
