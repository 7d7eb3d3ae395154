// CAV: ten frames become H.264 in MP4, which is read back. Argument: the path of the file.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "CAV.h"
#include "samples.h"

enum { width = 64, height = 48, frames = 10, timescale = 90000 };

static int write_bytes(void *context, const uint8_t *bytes, size_t count, int64_t offset) {
    return pwrite(*(int *)context, bytes, count, offset) == (ssize_t)count ? 0 : -EIO;
}

static void mux_all(struct cav_encoder *encoder, struct cav_muxer **muxer, int *file) {
    struct cav_packet packet;
    while (cav_next_packet(encoder, &packet) > 0) {
        if (!*muxer) {
            require(cav_open_muxer("mp4", write_bytes, file, muxer) == 0, "muxer");
            struct cav_track track = {.width = width, .height = height, .timescale = timescale, .rate = 30};
            require(cav_add_h264(*muxer, track, packet.bytes, packet.count) >= 0 && cav_begin(*muxer) == 0, "track");
        }
        require(cav_mux(*muxer, 0, &packet) == 0, "mux");
    }
}

int main(int count, char **arguments) {
    require(count == 2, "a path");
    struct cav_message reason;
    require(cav_load(cav_libraries, &reason) == 0, "libraries");
    int file = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0640);
    const char *options[] = {"preset", "ultrafast", "crf", "30", "tune", "zerolatency", NULL};
    struct cav_video video = {
        .encoder = "libx264", .options = options, .width = width, .height = height, .timescale = timescale, .rate = 30,
        .group = 30, .threads = 1};
    struct cav_encoder *encoder;
    require(cav_open_video(&video, &encoder) == 0, "encoder");
    struct cav_muxer *muxer = NULL;
    for (int number = 0; number < frames; number++) {
        struct cav_frame frame;
        require(cav_next_frame(encoder, &frame) == 0, "frame");
        for (int plane = 0; plane < 3; plane++)
            for (int row = 0; row < (plane ? height / 2 : height); row++)
                for (int column = 0; column < (plane ? width / 2 : width); column++)
                    frame.planes[plane][row * frame.strides[plane] + column] = (uint8_t)(row + column * 2 + number * 8);
        require(cav_encode(encoder, (int64_t)number * timescale / 30, number == 0) == 0, "encode");
        mux_all(encoder, &muxer, &file);
    }
    require(cav_encode_end(encoder) == 0, "end");
    mux_all(encoder, &muxer, &file);
    require(muxer && cav_end(muxer) == 0, "movie");
    cav_close_muxer(muxer);
    cav_close_encoder(encoder);
    close(file);
    struct cav_contents contents;
    require(cav_read(arguments[1], &contents) == 0, "read");
    printf("pictures %lld, the last at %.3f s\n", (long long)contents.pictures, contents.last);
}
