#include "photo.h"

#include <libyuv/scale.h>
#include <stdlib.h>
#include <time.h>
#include <turbojpeg.h>

struct photo_libraries {
    tjhandle decoder, encoder, turner;
    const uint8_t *jpeg;
    size_t length;
    int width, height, sampling, planes;
    uint8_t *decoded[3], *scaled[3], *file;
    unsigned long capacity;
    size_t written;
    int strides[3], columns[3], rows[3];  // Columns and rows are luma samples that share one of the plane.
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

struct photo_libraries *photo_libraries_new(const uint8_t *jpeg, size_t length) {
    struct photo_libraries *it = calloc(1, sizeof *it);
    if (!it) return NULL;
    int space = 0;
    it->jpeg = jpeg;
    it->length = length;
    it->decoder = tjInitDecompress();
    it->encoder = tjInitCompress();
    it->turner = tjInitTransform();
    if (!it->decoder || !it->encoder || !it->turner ||
        tjDecompressHeader3(it->decoder, jpeg, length, &it->width, &it->height, &it->sampling, &space) ||
        (space != TJCS_YCbCr && space != TJCS_GRAY) || it->width % 16 || it->height % 8)
        goto failed;
    it->planes = it->sampling == TJSAMP_GRAY ? 1 : 3;
    for (int i = 0; i < it->planes; i++) {
        it->strides[i] = tjPlaneWidth(i, it->width, it->sampling);
        int rows = tjPlaneHeight(i, it->height, it->sampling);
        it->columns[i] = it->width / it->strides[i];
        it->rows[i] = it->height / rows;
        it->decoded[i] = malloc((size_t)it->strides[i] * (size_t)rows);
        it->scaled[i] = malloc((size_t)it->strides[i] * (size_t)rows);
        if (!it->decoded[i] || !it->scaled[i]) goto failed;
    }
    it->capacity = tjBufSize(it->width, it->height, it->sampling);
    it->file = malloc(it->capacity);
    if (it->file) return it;
failed:
    photo_libraries_free(it);
    return NULL;
}

int photo_libraries_run(struct photo_libraries *it, const struct photo_part *part, int width, int height,
                        int quality, struct photo_times *times) {
    double start = now();
    if (tjDecompressToYUVPlanes(it->decoder, it->jpeg, it->length, it->decoded, it->width, it->strides,
                                it->height, 0))
        return -1;
    double decoded = now();
    const uint8_t *sources[3] = {it->decoded[0], it->decoded[1], it->decoded[2]};
    int strides[3] = {it->strides[0], it->strides[1], it->strides[2]};
    if (part->width != width || part->height != height) {
        for (int i = 0; i < it->planes; i++) {
            int columns = it->columns[i], rows = it->rows[i];
            const uint8_t *from =
                it->decoded[i] + (size_t)(part->y / rows) * (size_t)it->strides[i] + part->x / columns;
            strides[i] = width / columns;
            // Bilinear up, and down to a half; below that the mean of a box.
            ScalePlane(from, it->strides[i], part->width / columns, part->height / rows, it->scaled[i],
                       strides[i], width / columns, height / rows, kFilterBox);
            sources[i] = it->scaled[i];
        }
    }
    double scaled = now();
    unsigned long bytes = it->capacity;
    if (tjCompressFromYUVPlanes(it->encoder, sources, width, strides, height, it->sampling, &it->file, &bytes,
                                quality, TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT))
        return -1;
    double encoded = now();
    it->written = bytes;
    *times = (struct photo_times){decoded - start, scaled - decoded, encoded - scaled, bytes};
    return 0;
}

int photo_libraries_turn(struct photo_libraries *it, int is_quarter, double *milliseconds) {
    tjtransform turn = {.op = is_quarter ? TJXOP_ROT90 : TJXOP_ROT180, .options = TJXOPT_PERFECT};
    unsigned long bytes = it->capacity;
    double start = now();
    if (tjTransform(it->turner, it->jpeg, it->length, 1, &it->file, &bytes, &turn, TJFLAG_NOREALLOC)) return -1;
    *milliseconds = now() - start;
    it->written = bytes;
    return 0;
}

const uint8_t *photo_libraries_file(const struct photo_libraries *it, size_t *length) {
    *length = it->written;
    return it->file;
}

const char *photo_libraries_words(struct photo_libraries *it) {
    return tjGetErrorStr2(tjGetErrorCode(it->encoder) ? it->encoder : it->decoder);
}

void photo_libraries_free(struct photo_libraries *it) {
    if (!it) return;
    if (it->decoder) tjDestroy(it->decoder);
    if (it->encoder) tjDestroy(it->encoder);
    if (it->turner) tjDestroy(it->turner);
    for (int i = 0; i < 3; i++) {
        free(it->decoded[i]);
        free(it->scaled[i]);
    }
    free(it->file);
    free(it);
}
