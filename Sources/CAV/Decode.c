#include "CAV.h"
#include "functions.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

struct cav_decoder {
    AVCodecContext *context;
    AVFrame *frame;
    AVPacket *packet;
    /// A copy of the access unit with the padding that the library reads.
    uint8_t *bytes;
    size_t room;
};

void cav_close_decoder(struct cav_decoder *decoder) {
    if (!decoder) return;
    av.avcodec_free_context(&decoder->context);
    av.av_frame_free(&decoder->frame);
    av.av_packet_free(&decoder->packet);
    av.av_freep(&decoder->bytes);
    av.av_freep(&decoder);
    cav_unload();
}

int cav_open_decoder(struct cav_decoder **decoder) {
    const AVCodec *codec = av.avcodec_find_decoder(AV_CODEC_ID_H264);
    if (!codec) return AVERROR_DECODER_NOT_FOUND;
    struct cav_decoder *made = av.av_mallocz(sizeof *made);
    if (!made) return AVERROR(ENOMEM);
    cav_retain();
    made->context = av.avcodec_alloc_context3(codec);
    made->frame = av.av_frame_alloc();
    made->packet = av.av_packet_alloc();
    int result = AVERROR(ENOMEM);
    if (made->context && made->frame && made->packet) {
        made->context->thread_count = 1;
        made->context->flags |= AV_CODEC_FLAG_LOW_DELAY;
        // A picture with an error is an error: nothing is made up for what is missing.
        made->context->err_recognition = AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_BUFFER;
        // Only with some concealment does the library notice that a part of a picture is missing: then it
        // marks the picture, which `describe` refuses. With none it marks whole pictures of several slices.
        made->context->error_concealment = FF_EC_DEBLOCK;
        result = av.avcodec_open2(made->context, codec, NULL);
    }
    if (result < 0) {
        cav_close_decoder(made);
        return result;
    }
    *decoder = made;
    return 0;
}

static int copy(struct cav_decoder *decoder, const uint8_t *bytes, size_t count) {
    if (count == 0 || count > INT_MAX - AV_INPUT_BUFFER_PADDING_SIZE) return AVERROR(EINVAL);
    size_t needed = count + AV_INPUT_BUFFER_PADDING_SIZE;
    if (decoder->room < needed) {
        av.av_freep(&decoder->bytes);
        decoder->room = 0;
        decoder->bytes = av.av_malloc(needed);
        if (!decoder->bytes) return AVERROR(ENOMEM);
        decoder->room = needed;
    }
    memcpy(decoder->bytes, bytes, count);
    memset(decoder->bytes + count, 0, AV_INPUT_BUFFER_PADDING_SIZE);
    return 0;
}

static int describe(const AVFrame *frame, struct cav_picture *picture) {
    if (frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT) return AVERROR_INVALIDDATA;
    bool full = frame->color_range == AVCOL_RANGE_JPEG;
    switch (frame->format) {
    case AV_PIX_FMT_YUVJ420P: full = true; // fall through
    case AV_PIX_FMT_YUV420P: picture->halves_rows = true; break;
    case AV_PIX_FMT_YUVJ422P: full = true; // fall through
    case AV_PIX_FMT_YUV422P: picture->halves_rows = false; break;
    default: return cav_unsupported_picture;
    }
    picture->full_range = full;
    picture->width = frame->width;
    picture->height = frame->height;
    for (int i = 0; i < 3; i++) {
        picture->planes[i] = frame->data[i];
        picture->strides[i] = frame->linesize[i];
    }
    return 1;
}

int cav_decode(
    struct cav_decoder *decoder, const uint8_t *bytes, size_t count, int64_t pixels, struct cav_picture *picture) {
    int result = copy(decoder, bytes, count);
    if (result < 0) return result;
    decoder->context->max_pixels = pixels;
    decoder->packet->data = decoder->bytes;
    decoder->packet->size = (int)count;
    result = av.avcodec_send_packet(decoder->context, decoder->packet);
    if (result < 0) return result;
    result = av.avcodec_receive_frame(decoder->context, decoder->frame);
    if (result == AVERROR(EAGAIN)) return 0;
    return result < 0 ? result : describe(decoder->frame, picture);
}

void cav_flush_decoder(struct cav_decoder *decoder) {
    av.avcodec_flush_buffers(decoder->context);
}
