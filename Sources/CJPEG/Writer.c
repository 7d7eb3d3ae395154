#include <stdlib.h>
#include <string.h>

#include "Writer.h"

enum { MOST_ROWS = 4 * DCTSIZE };  // A component has up to four rows of blocks in each of the JPEG's units.

static void nothing(j_compress_ptr object) { (void)object; }

// The file is longer than the buffer of the caller.
static boolean overflow(j_compress_ptr object) {
    struct jpeg_failure *failure = (struct jpeg_failure *)object->err;
    snprintf(failure->message, sizeof failure->message, "the JPEG is too long");
    longjmp(failure->way_back, 1);
}

// How many bytes the rows need that find_rows copies, for each plane.
static size_t strip(const struct jpeg_source *planes) { return MOST_ROWS * ((size_t)planes->width + 2 * DCTSIZE); }

static int make_room(struct jpeg_writer *writer, size_t size) {
    if (size <= writer->padded_size) return 0;
    free(writer->padded);
    writer->padded = malloc(size);
    writer->padded_size = writer->padded ? size : 0;
    if (writer->padded) return 0;
    snprintf(writer->failure.message, sizeof writer->failure.message, "out of memory");
    return -1;
}

// 0, or -1 when memory runs out.
static int create(struct jpeg_writer *writer) {
    writer->object.err = jpeg_failure_manager(&writer->failure);
    if (setjmp(writer->failure.way_back)) return -1;
    jpeg_create_compress(&writer->object);
    writer->destination = (struct jpeg_destination_mgr){
        .init_destination = nothing, .empty_output_buffer = overflow, .term_destination = nothing};
    writer->object.dest = &writer->destination;
    // Tables and components are created again, because the pool has freed them.
    writer->object.input_components = 3;
    writer->object.in_color_space = JCS_YCbCr;
    jpeg_set_defaults(&writer->object);
    jpeg_pool_serve(&writer->pool, (j_common_ptr)&writer->object);
    return 0;
}

struct jpeg_writer *jpeg_writer_new(void) {
    struct jpeg_writer *writer = calloc(1, sizeof *writer);
    if (!writer || create(writer) == 0) return writer;
    jpeg_writer_free(writer);
    return NULL;
}

void jpeg_writer_free(struct jpeg_writer *writer) {
    if (!writer) return;
    jpeg_destroy_compress(&writer->object);
    jpeg_pool_free(&writer->pool);
    free(writer->padded);
    free(writer);
}

const char *jpeg_writer_message(const struct jpeg_writer *writer) { return writer->failure.message; }

static void set_up(struct jpeg_compress_struct *object, const struct jpeg_source *planes, int count, int columns,
                   int rows, int quality) {
    object->image_width = (JDIMENSION)planes->width;
    object->image_height = (JDIMENSION)planes->height;
    object->input_components = count;
    object->in_color_space = count == 3 ? JCS_YCbCr : JCS_GRAYSCALE;
    jpeg_set_defaults(object);
    jpeg_set_quality(object, quality, TRUE);
    object->dct_method = JDCT_ISLOW;
    object->raw_data_in = TRUE;
    for (int index = 0; index < count; index++) {
        object->comp_info[index].h_samp_factor = index == 0 ? columns : 1;
        object->comp_info[index].v_samp_factor = index == 0 ? rows : 1;
    }
}

// The rows of a plane that make up a row of blocks, from `top` on. Below its last row that row is repeated,
// and right of its last column that column, up to the end of the block, in `padded`.
static void find_rows(const struct jpeg_source *plane, int top, int count, int blocks, uint8_t *padded,
                      JSAMPROW *rows) {
    int width = blocks * DCTSIZE;
    for (int line = 0; line < count; line++) {
        int row = top + line < plane->height ? top + line : plane->height - 1;
        const uint8_t *start = plane->start + (ptrdiff_t)row * plane->stride;
        if (width > plane->width) {
            uint8_t *copy = padded + (ptrdiff_t)line * width;
            memcpy(copy, start, (size_t)plane->width);
            memset(copy + plane->width, start[plane->width - 1], (size_t)(width - plane->width));
            start = copy;
        }
        rows[line] = (JSAMPROW)start;
    }
}

size_t jpeg_writer_encode(struct jpeg_writer *writer, const struct jpeg_source *planes, int count, int columns,
                          int rows, int quality, uint8_t *file, size_t capacity) {
    struct jpeg_compress_struct *object = &writer->object;
    if (setjmp(writer->failure.way_back)) {
        jpeg_abort_compress(object);
        return 0;
    }
    jpeg_pool_reset(&writer->pool);
    if (make_room(writer, 3 * strip(planes))) return 0;
    writer->destination.next_output_byte = file;
    writer->destination.free_in_buffer = capacity;
    set_up(object, planes, count, columns, rows, quality);
    jpeg_start_compress(object, TRUE);

    JSAMPROW lines[3][MOST_ROWS];
    JSAMPARRAY arrays[3] = {lines[0], lines[1], lines[2]};
    while (object->next_scanline < object->image_height) {
        int group = (int)object->next_scanline / (rows * DCTSIZE);
        for (int index = 0; index < count; index++) {
            const jpeg_component_info *component = object->comp_info + index;
            int height = component->v_samp_factor * DCTSIZE;
            find_rows(planes + index, group * height, height, (int)component->width_in_blocks,
                      writer->padded + (size_t)index * strip(planes), lines[index]);
        }
        jpeg_write_raw_data(object, arrays, (JDIMENSION)(rows * DCTSIZE));
    }
    jpeg_finish_compress(object);
    return capacity - writer->destination.free_in_buffer;
}
