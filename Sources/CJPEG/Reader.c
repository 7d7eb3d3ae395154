#include <stdlib.h>
#include <string.h>

#include "Reader.h"

// The coefficients of a JPEG of several scans, which are all in memory until the last one: 3840 × 2160 pixels
// in 4:2:2.
enum { MOST_COEFFICIENT_BYTES = 32 << 20 };

static void count_scans(j_common_ptr object) {
    if (!object->is_decompressor) return;
    struct jpeg_reader *reader = (struct jpeg_reader *)object;
    if (reader->object.input_scan_number <= JPEG_MOST_SCANS) return;
    snprintf(reader->failure.message, sizeof reader->failure.message, "it has more than %d scans", JPEG_MOST_SCANS);
    longjmp(reader->failure.way_back, 1);
}

// 0, or -1 when memory runs out.
static int create(struct jpeg_reader *reader) {
    reader->object.err = jpeg_failure_manager(&reader->failure);
    if (setjmp(reader->failure.way_back)) return -1;
    jpeg_create_decompress(&reader->object);
    // Created again, because the pool has freed it.
    jpeg_mem_src(&reader->object, (const unsigned char *)"", 1);
    reader->progress.progress_monitor = count_scans;
    reader->object.progress = &reader->progress;
    jpeg_pool_serve(&reader->pool, (j_common_ptr)&reader->object);
    reader->object.mem->max_memory_to_use = MOST_COEFFICIENT_BYTES;
    return 0;
}

struct jpeg_reader *jpeg_reader_new(void) {
    struct jpeg_reader *reader = calloc(1, sizeof *reader);
    if (!reader || create(reader) == 0) return reader;
    jpeg_reader_free(reader);
    return NULL;
}

void jpeg_reader_free(struct jpeg_reader *reader) {
    if (!reader) return;
    jpeg_destroy_decompress(&reader->object);
    jpeg_pool_free(&reader->pool);
    free(reader);
}

const char *jpeg_reader_message(const struct jpeg_reader *reader) { return reader->failure.message; }

// Discards the state of the previous picture, with its tables: a picture without tables must not be decoded
// with those of another.
static void discard(struct jpeg_reader *reader) {
    struct jpeg_decompress_struct *object = &reader->object;
    jpeg_abort_decompress(object);
    memset(object->quant_tbl_ptrs, 0, sizeof object->quant_tbl_ptrs);
    memset(object->dc_huff_tbl_ptrs, 0, sizeof object->dc_huff_tbl_ptrs);
    memset(object->ac_huff_tbl_ptrs, 0, sizeof object->ac_huff_tbl_ptrs);
    jpeg_pool_reset(&reader->pool);
}

static enum jpeg_colours colours(J_COLOR_SPACE space) {
    switch (space) {
    case JCS_YCbCr: return JPEG_YCBCR;
    case JCS_GRAYSCALE: return JPEG_GRAY;
    case JCS_RGB: return JPEG_RGB;
    case JCS_CMYK:
    case JCS_YCCK: return JPEG_CMYK;
    default: return JPEG_OTHER;
    }
}

int jpeg_reader_open(struct jpeg_reader *reader, const uint8_t *bytes, size_t length, struct jpeg_head *head) {
    struct jpeg_decompress_struct *object = &reader->object;
    *head = (struct jpeg_head){0};
    if (setjmp(reader->failure.way_back)) return -1;
    discard(reader);
    jpeg_mem_src(object, bytes, length);
    if (jpeg_read_header(object, FALSE) != JPEG_HEADER_OK) return 0;
    head->width = (int)object->image_width;
    head->height = (int)object->image_height;
    head->colours = colours(object->jpeg_color_space);
    const jpeg_component_info *luma = object->comp_info;
    if (object->num_components == 1) {
        head->columns = head->rows = 1;
    } else if (object->num_components == 3) {
        const jpeg_component_info *blue = luma + 1, *red = luma + 2;
        if (blue->h_samp_factor == red->h_samp_factor && blue->v_samp_factor == red->v_samp_factor &&
            luma->h_samp_factor % blue->h_samp_factor == 0 && luma->v_samp_factor % blue->v_samp_factor == 0) {
            head->columns = luma->h_samp_factor / blue->h_samp_factor;
            head->rows = luma->v_samp_factor / blue->v_samp_factor;
        }
    }
    return 0;
}

int jpeg_reader_lay_out(struct jpeg_reader *reader, int reduction, struct jpeg_layout *layout) {
    struct jpeg_decompress_struct *object = &reader->object;
    if (setjmp(reader->failure.way_back)) return -1;
    object->raw_data_out = TRUE;
    object->out_color_space = object->jpeg_color_space;
    object->dct_method = JDCT_ISLOW;
    object->scale_num = 1;
    object->scale_denom = (unsigned)reduction;
    jpeg_calc_output_dimensions(object);
    const jpeg_component_info *luma = object->comp_info;
    // libjpeg-turbo undoes subsampling by a larger transform where it can.
    const jpeg_component_info *chroma = luma + (object->num_components == 3 ? 1 : 0);
    layout->columns = luma->h_samp_factor * luma->DCT_scaled_size / (chroma->h_samp_factor * chroma->DCT_scaled_size);
    layout->rows = luma->v_samp_factor * luma->DCT_scaled_size / (chroma->v_samp_factor * chroma->DCT_scaled_size);
    layout->group = object->max_v_samp_factor * object->min_DCT_scaled_size;
    return 0;
}

int jpeg_reader_decode(struct jpeg_reader *reader, int first, int end, const struct jpeg_target targets[3]) {
    struct jpeg_decompress_struct *object = &reader->object;
    if (setjmp(reader->failure.way_back)) {
        // Frees the coefficients, which may be megabytes.
        jpeg_abort_decompress(object);
        return -1;
    }
    jpeg_start_decompress(object);
    int group = object->max_v_samp_factor * object->min_DCT_scaled_size;
    JSAMPROW rows[3][4 * DCTSIZE];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    if (group > 4 * DCTSIZE || object->num_components > 3) return -1;
    while ((int)object->output_scanline < end && object->output_scanline < object->output_height) {
        int row = (int)object->output_scanline;
        for (int index = 0; index < object->num_components; index++) {
            jpeg_component_info *component = object->comp_info + index;
            // Rows that are not needed are read, because later ones depend on them, but not transformed.
            component->component_needed = row >= first;
            int count = component->v_samp_factor * component->DCT_scaled_size;
            int number = row >= first ? (row - first) / group * count : 0;
            for (int line = 0; line < count; line++)
                rows[index][line] = targets[index].start + (ptrdiff_t)(number + line) * targets[index].stride;
        }
        jpeg_read_raw_data(object, planes, (JDIMENSION)group);
    }
    if (object->output_scanline >= object->output_height)
        jpeg_finish_decompress(object);
    else
        jpeg_abort_decompress(object);
    return 0;
}
