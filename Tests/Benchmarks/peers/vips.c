// libvips making photos: decode, crop, scale with Lanczos' filter, encode. On one thread, in its own best
// way: what it does is lazy and in strips, and a preview is what its thumbnailer makes.
//
//   vips SOURCE.jpg X Y WIDTH HEIGHT OUT_WIDTH OUT_HEIGHT QUALITY ROUNDS PHOTO.jpg
//
// Prints the median of the rounds in milliseconds, and writes the last photo.
#include <stdlib.h>
#include <time.h>
#include <vips/vips.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct job {
    void *jpeg;
    size_t length;
    int x, y, width, height, out_width, out_height, quality;
};

static VipsImage *scaled(const struct job *job) {
    VipsImage *source = NULL, *part = NULL, *image = NULL;
    if (job->out_width < job->width) {
        vips_thumbnail_buffer(job->jpeg, job->length, &image, job->out_width, NULL);
        return image;
    }
    if (vips_jpegload_buffer(job->jpeg, job->length, &source, "access", VIPS_ACCESS_SEQUENTIAL, NULL)) return NULL;
    if (!vips_crop(source, &part, job->x, job->y, job->width, job->height, NULL)) {
        double across = (double)job->out_width / job->width, down = (double)job->out_height / job->height;
        vips_resize(part, &image, across, "vscale", down, "kernel", VIPS_KERNEL_LANCZOS3, NULL);
        g_object_unref(part);
    }
    g_object_unref(source);
    return image;
}

static int photo(const struct job *job, void **file, size_t *length) {
    VipsImage *image = scaled(job);
    if (!image) return -1;
    // 4:2:2 isn't among its choices; 4:2:0 is less work.
    int result = vips_jpegsave_buffer(image, file, length, "Q", job->quality, "subsample_mode",
                                      VIPS_FOREIGN_SUBSAMPLE_ON, NULL);
    g_object_unref(image);
    return result;
}

int main(int count, char **words) {
    if (count != 11 || VIPS_INIT(words[0])) return 64;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    struct job job = {.x = atoi(words[2]), .y = atoi(words[3]), .width = atoi(words[4]), .height = atoi(words[5]),
                      .out_width = atoi(words[6]), .out_height = atoi(words[7]), .quality = atoi(words[8])};
    char *jpeg = NULL;
    if (!g_file_get_contents(words[1], &jpeg, &job.length, NULL)) return 66;
    job.jpeg = jpeg;
    int rounds = atoi(words[9]), warm_up = 3;
    double *times = calloc((size_t)rounds, sizeof *times);
    if (!times || rounds < 1) return 64;
    for (int round = -warm_up; round < rounds; round++) {
        void *file = NULL;
        size_t length = 0;
        double start = now();
        if (photo(&job, &file, &length)) {
            fprintf(stderr, "%s", vips_error_buffer());
            return 1;
        }
        if (round >= 0) times[round] = now() - start;
        if (round == rounds - 1 && !g_file_set_contents(words[10], file, (gssize)length, NULL)) return 74;
        g_free(file);
    }
    qsort(times, (size_t)rounds, sizeof *times, by_value);
    printf("%f\n", times[rounds / 2]);
    return 0;
}
