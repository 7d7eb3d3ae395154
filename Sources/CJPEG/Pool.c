#include "Pool.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };  // As the widest vectors like it; libjpeg-turbo's own is 32.

static size_t aligned(size_t size) { return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

// NULL when the pool is exhausted. What it returns is aligned to ALIGNMENT.
static void *take(struct jpeg_pool *pool, size_t size) {
    size = aligned(size);
    if (size > pool->size - pool->used) {
        pool->wanted += size;
        return NULL;
    }
    void *taken = pool->memory + pool->used;
    pool->used += size;
    return taken;
}

static void *allocate_small(j_common_ptr object, int lifetime, size_t size) {
    struct jpeg_pool *pool = object->client_data;
    void *taken = take(pool, size);
    return taken ? taken : pool->library.alloc_small(object, lifetime, size);
}

static void *allocate_large(j_common_ptr object, int lifetime, size_t size) {
    struct jpeg_pool *pool = object->client_data;
    void *taken = take(pool, size);
    return taken ? taken : pool->library.alloc_large(object, lifetime, size);
}

static JSAMPARRAY allocate_samples(j_common_ptr object, int lifetime, JDIMENSION width, JDIMENSION rows) {
    struct jpeg_pool *pool = object->client_data;
    size_t stride = aligned(width), heads = aligned(rows * sizeof(JSAMPROW));
    void *taken = take(pool, heads + rows * stride);
    if (!taken) return pool->library.alloc_sarray(object, lifetime, width, rows);
    JSAMPARRAY array = taken;
    JSAMPROW samples = (JSAMPROW)taken + heads;
    for (JDIMENSION row = 0; row < rows; row++) array[row] = samples + row * stride;
    return array;
}

static JBLOCKARRAY allocate_blocks(j_common_ptr object, int lifetime, JDIMENSION width, JDIMENSION rows) {
    struct jpeg_pool *pool = object->client_data;
    size_t stride = width * sizeof(JBLOCK), heads = aligned(rows * sizeof(JBLOCKROW));
    void *taken = take(pool, heads + rows * stride);
    if (!taken) return pool->library.alloc_barray(object, lifetime, width, rows);
    JBLOCKARRAY array = taken;
    // The heads are aligned, so the blocks are as well.
    JBLOCKROW blocks = (void *)((unsigned char *)taken + heads);
    for (JDIMENSION row = 0; row < rows; row++) array[row] = blocks + (size_t)row * width;
    return array;
}

void jpeg_pool_serve(struct jpeg_pool *pool, j_common_ptr object) {
    object->client_data = pool;
    pool->library = *object->mem;
    object->mem->alloc_small = allocate_small;
    object->mem->alloc_large = allocate_large;
    object->mem->alloc_sarray = allocate_samples;
    object->mem->alloc_barray = allocate_blocks;
}

void jpeg_pool_reset(struct jpeg_pool *pool) {
    pool->used = 0;
    if (pool->wanted == 0) return;
    size_t size = pool->size + pool->wanted;
    free(pool->memory);
    pool->memory = aligned_alloc(ALIGNMENT, size);
    pool->size = pool->memory ? size : 0;
    pool->wanted = 0;
}

void jpeg_pool_free(struct jpeg_pool *pool) { free(pool->memory); }
