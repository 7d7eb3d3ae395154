#include <jerror.h>
#include <string.h>

#include "Reader.h"
#include "Writer.h"

// The blocks of a component of the turned picture. libjpeg-turbo takes it for its own array, which it only
// passes to `access_virt_barray`: the turned blocks are made when they are encoded, a row of MCUs at a time.
struct turned_blocks {
    const struct jpeg_turn *turn;
    JCOEF signs[DCTSIZE2];  // By which the coefficients of the source are multiplied.
    JBLOCKROW *source;  // All rows of blocks of the source.
    JDIMENSION source_columns, source_rows;
    JDIMENSION columns, rows;  // Of the turned component.
    JBLOCKARRAY strip;
    int exceeds;  // A coefficient has no code in the standard's tables.
};

// The largest coefficients with a code, other than the first of a block, which can also be one lower. Those
// of damaged JPEGs can be larger, and libjpeg-turbo writes other ones then.
enum { MOST_COEFFICIENT = 1023 };

// Reversed columns change the sign of each odd horizontal frequency, reversed rows that of each odd vertical
// one.
static void find_signs(const struct jpeg_turn *turn, JCOEF *signs) {
    for (int place = 0; place < DCTSIZE2; place++) {
        int row = place / DCTSIZE, column = place % DCTSIZE;
        signs[place] = (turn->reversed_rows & row & 1) == (turn->reversed_columns & column & 1) ? 1 : -1;
    }
}

// Frequencies are exchanged with the sides.
static void turn_block(struct turned_blocks *blocks, const JCOEF *source, JCOEF *target) {
    JCOEF turned[DCTSIZE2], lowest = 0, highest = 0;
    for (int place = 0; place < DCTSIZE2; place++) turned[place] = (JCOEF)(source[place] * blocks->signs[place]);
    for (int place = 1; place < DCTSIZE2; place++) {
        lowest = source[place] < lowest ? source[place] : lowest;
        highest = source[place] > highest ? source[place] : highest;
    }
    if (lowest < -MOST_COEFFICIENT || highest > MOST_COEFFICIENT || source[0] < -MOST_COEFFICIENT - 1 ||
        source[0] > MOST_COEFFICIENT)
        blocks->exceeds = 1;
    if (!blocks->turn->exchanged) {
        memcpy(target, turned, sizeof turned);
        return;
    }
    for (int row = 0; row < DCTSIZE; row++)
        for (int column = 0; column < DCTSIZE; column++) target[column * DCTSIZE + row] = turned[row * DCTSIZE + column];
}

static void turn_row(struct turned_blocks *blocks, JDIMENSION row, JBLOCKROW target) {
    const struct jpeg_turn *turn = blocks->turn;
    for (JDIMENSION column = 0; column < blocks->columns; column++) {
        JDIMENSION from_column = turn->exchanged ? row : column, from_row = turn->exchanged ? column : row;
        if (turn->reversed_columns) from_column = blocks->source_columns - 1 - from_column;
        if (turn->reversed_rows) from_row = blocks->source_rows - 1 - from_row;
        turn_block(blocks, blocks->source[from_row][from_column], target[column]);
    }
}

static JBLOCKARRAY turned_rows(j_common_ptr object, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                               boolean is_for_writing) {
    (void)object, (void)is_for_writing;
    struct turned_blocks *blocks = (struct turned_blocks *)array;
    // The last row of MCUs may have rows of blocks that the component hasn't: libjpeg-turbo does not read
    // them.
    for (JDIMENSION line = 0; line < count && first + line < blocks->rows; line++)
        turn_row(blocks, first + line, blocks->strip[line]);
    return blocks->strip;
}

// Whether the edges that become the left or top one are edges of MCUs.
static int fits(const struct jpeg_decompress_struct *source, const struct jpeg_turn *turn) {
    JDIMENSION columns = (JDIMENSION)source->max_h_samp_factor * DCTSIZE;
    JDIMENSION rows = (JDIMENSION)source->max_v_samp_factor * DCTSIZE;
    return (!turn->reversed_columns || source->image_width % columns == 0) &&
           (!turn->reversed_rows || source->image_height % rows == 0);
}

static JBLOCKROW *rows_of(struct jpeg_decompress_struct *source, jvirt_barray_ptr array, JDIMENSION count) {
    j_common_ptr object = (j_common_ptr)source;
    JBLOCKROW *rows = source->mem->alloc_small(object, JPOOL_IMAGE, count * sizeof *rows);
    // All are in memory: with less than all of it, the array would not have been made.
    for (JDIMENSION row = 0; row < count; row++) rows[row] = *source->mem->access_virt_barray(object, array, row, 1, FALSE);
    return rows;
}

static void exchange(int *one, int *other) {
    int kept = *one;
    *one = *other;
    *other = kept;
}

// The sides, the densities, the sampling and the quantisation tables of a picture whose sides are exchanged.
static void exchange_sides(struct jpeg_compress_struct *target) {
    JDIMENSION width = target->image_width;
    target->image_width = target->image_height;
    target->image_height = width;
    UINT16 density = target->X_density;
    target->X_density = target->Y_density;
    target->Y_density = density;
    for (int index = 0; index < target->num_components; index++)
        exchange(&target->comp_info[index].h_samp_factor, &target->comp_info[index].v_samp_factor);
    for (int index = 0; index < NUM_QUANT_TBLS; index++) {
        JQUANT_TBL *table = target->quant_tbl_ptrs[index];
        if (!table) continue;
        for (int row = 0; row < DCTSIZE; row++) {
            for (int column = 0; column < row; column++) {
                UINT16 *one = &table->quantval[row * DCTSIZE + column], *other = &table->quantval[column * DCTSIZE + row];
                UINT16 kept = *one;
                *one = *other;
                *other = kept;
            }
        }
    }
}

static int begins(jpeg_saved_marker_ptr marker, int code, const char *name, unsigned length) {
    return marker->marker == code && marker->data_length >= length && memcmp(marker->data, name, length) == 0;
}

// Comments and application segments, but for those that libjpeg-turbo writes itself.
static void copy_segments(const struct jpeg_decompress_struct *source, struct jpeg_compress_struct *target) {
    for (jpeg_saved_marker_ptr each = source->marker_list; each; each = each->next) {
        if (target->write_JFIF_header && begins(each, JPEG_APP0, "JFIF", 5)) continue;
        if (target->write_Adobe_marker && begins(each, JPEG_APP0 + 14, "Adobe", 5)) continue;
        jpeg_write_marker(target, each->marker, each->data, each->data_length);
    }
}

// Returns whether all coefficients have been written.
static int write_turned(struct jpeg_decompress_struct *source, struct jpeg_compress_struct *target,
                        jvirt_barray_ptr *coefficients, const struct jpeg_turn *turn) {
    // Tables that the pool has freed.
    memset(target->quant_tbl_ptrs, 0, sizeof target->quant_tbl_ptrs);
    jpeg_copy_critical_parameters(source, target);
    if (turn->exchanged) exchange_sides(target);
    struct turned_blocks blocks[MAX_COMPONENTS];
    jvirt_barray_ptr arrays[MAX_COMPONENTS];
    for (int index = 0; index < target->num_components; index++) {
        const jpeg_component_info *component = source->comp_info + index;
        blocks[index] = (struct turned_blocks){
            .turn = turn,
            .source = rows_of(source, coefficients[index], component->height_in_blocks),
            .source_columns = component->width_in_blocks,
            .source_rows = component->height_in_blocks,
            .columns = turn->exchanged ? component->height_in_blocks : component->width_in_blocks,
            .rows = turn->exchanged ? component->width_in_blocks : component->height_in_blocks};
        find_signs(turn, blocks[index].signs);
        arrays[index] = (jvirt_barray_ptr)&blocks[index];
        blocks[index].strip = target->mem->alloc_barray((j_common_ptr)target, JPOOL_IMAGE, blocks[index].columns,
                                                        (JDIMENSION)target->comp_info[index].v_samp_factor);
    }
    target->mem->access_virt_barray = turned_rows;
    jpeg_write_coefficients(target, arrays);
    copy_segments(source, target);
    jpeg_finish_compress(target);
    int exceeds = 0;
    for (int index = 0; index < target->num_components; index++) exceeds |= blocks[index].exceeds;
    return !exceeds;
}

// 0, or -1 on failures.
static int keep_segments(struct jpeg_reader *reader) {
    if (setjmp(reader->failure.way_back)) return -1;
    jpeg_save_markers(&reader->object, JPEG_COM, 0xFFFF);
    for (int index = 0; index < 16; index++) jpeg_save_markers(&reader->object, JPEG_APP0 + index, 0xFFFF);
    return 0;
}

long jpeg_turn_losslessly(struct jpeg_reader *reader, struct jpeg_writer *writer, const uint8_t *bytes, size_t length,
                          const struct jpeg_turn *turn, uint8_t *file, size_t capacity) {
    struct jpeg_decompress_struct *source = &reader->object;
    struct jpeg_compress_struct *target = &writer->object;
    struct jpeg_head head;
    if (keep_segments(reader) < 0 || jpeg_reader_open(reader, bytes, length, &head) < 0) return -1;
    if (setjmp(reader->failure.way_back)) {
        jpeg_abort_compress(target);
        jpeg_abort_decompress(source);
        return reader->failure.manager.msg_code == JERR_NO_BACKING_STORE ? 0 : -1;
    }
    // Decoders estimate missing coefficients of a progressive JPEG from the blocks around. A baseline JPEG
    // can't express that.
    if (head.width == 0 || source->progressive_mode || !fits(source, turn)) return 0;
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(source);
    if (setjmp(writer->failure.way_back)) {
        jpeg_abort_compress(target);
        jpeg_abort_decompress(source);
        return 0;
    }
    jpeg_pool_reset(&writer->pool);
    writer->destination.next_output_byte = file;
    writer->destination.free_in_buffer = capacity;
    int is_whole = write_turned(source, target, coefficients, turn);
    // Frees the coefficients, which may be megabytes.
    jpeg_abort_decompress(source);
    return is_whole ? (long)(capacity - writer->destination.free_in_buffer) : 0;
}
