#include "CAV.h"
#include "functions.h"

#include <errno.h>

void cav_close_encoder(struct cav_encoder *encoder) {
    if (!encoder) return;
    av.avcodec_free_context(&encoder->context);
    av.av_frame_free(&encoder->frame);
    av.av_packet_free(&encoder->packet);
    av.av_freep(&encoder);
    cav_unload();
}

static struct cav_encoder *make(const AVCodec *codec) {
    struct cav_encoder *made = av.av_mallocz(sizeof *made);
    if (!made) return NULL;
    cav_retain();
    made->context = av.avcodec_alloc_context3(codec);
    made->frame = av.av_frame_alloc();
    made->packet = av.av_packet_alloc();
    if (made->context && made->frame && made->packet) return made;
    cav_close_encoder(made);
    return NULL;
}

/// Opens the configured encoder, and allocates the frame that is reused for each picture, with its rows at
/// multiples of `alignment` (0: the best for this processor).
static int open_encoder(struct cav_encoder *made, const AVCodec *codec, int alignment, struct cav_encoder **encoder) {
    int result = av.avcodec_open2(made->context, codec, NULL);
    if (result >= 0) result = av.av_frame_get_buffer(made->frame, alignment);
    if (result < 0) {
        cav_close_encoder(made);
        return result;
    }
    *encoder = made;
    return 0;
}

int cav_open_video(const struct cav_video *video, struct cav_encoder **encoder) {
    const AVCodec *codec = av.avcodec_find_encoder_by_name(video->encoder);
    if (!codec) return AVERROR_ENCODER_NOT_FOUND;
    struct cav_encoder *made = make(codec);
    if (!made) return AVERROR(ENOMEM);

    AVCodecContext *context = made->context;
    context->width = made->frame->width = video->width;
    context->height = made->frame->height = video->height;
    context->pix_fmt = video->pairs_chroma ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P;
    context->time_base = (AVRational){1, video->timescale};
    context->framerate = av.av_d2q(video->rate, 1001000);
    context->gop_size = video->group;
    context->max_b_frames = 0;
    context->bit_rate = video->bit_rate;
    context->thread_count = video->threads;
    context->profile = FF_PROFILE_H264_HIGH;
    // The defaults of USB Video Class for cameras without a colour descriptor: BT.709's primaries and
    // transfer, BT.601's matrix.
    context->color_primaries = AVCOL_PRI_BT709;
    context->color_trc = AVCOL_TRC_BT709;
    context->colorspace = AVCOL_SPC_SMPTE170M;
    context->color_range = AVCOL_RANGE_MPEG;
    context->chroma_sample_location = AVCHROMA_LOC_LEFT;
    made->frame->format = context->pix_fmt;
    made->frame->color_range = context->color_range;
    for (const char *const *option = video->options; option && *option; option += 2) {
        int result = av.av_opt_set(context->priv_data, option[0], option[1], 0);
        if (result < 0) {
            cav_close_encoder(made);
            return result;
        }
    }
    return open_encoder(made, codec, video->packs_rows ? 1 : 0, encoder);
}

int cav_open_sound(int rate, int channels, int64_t bit_rate, struct cav_encoder **encoder, int *samples) {
    const AVCodec *codec = av.avcodec_find_encoder_by_name("aac");
    if (!codec) return AVERROR_ENCODER_NOT_FOUND;
    struct cav_encoder *made = make(codec);
    if (!made) return AVERROR(ENOMEM);

    AVCodecContext *context = made->context;
    context->sample_fmt = AV_SAMPLE_FMT_FLTP;
    context->sample_rate = rate;
    av.av_channel_layout_default(&context->ch_layout, channels);
    context->time_base = (AVRational){1, rate};
    context->bit_rate = bit_rate;
    // The configuration belongs into the file's head.
    context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    made->frame->format = context->sample_fmt;
    made->frame->sample_rate = rate;
    av.av_channel_layout_default(&made->frame->ch_layout, channels);
    *samples = made->frame->nb_samples = 1024;
    return open_encoder(made, codec, 0, encoder);
}

int cav_next_frame(struct cav_encoder *encoder, struct cav_frame *frame) {
    int result = av.av_frame_make_writable(encoder->frame);
    if (result < 0) return result;
    for (int i = 0; i < 3; i++) {
        frame->planes[i] = encoder->frame->data[i];
        frame->strides[i] = encoder->frame->linesize[i];
    }
    return 0;
}

int cav_encode(struct cav_encoder *encoder, int64_t time, bool as_key) {
    encoder->frame->pts = time;
    encoder->frame->pict_type = as_key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    return av.avcodec_send_frame(encoder->context, encoder->frame);
}

int cav_encode_end(struct cav_encoder *encoder) {
    return av.avcodec_send_frame(encoder->context, NULL);
}

int cav_next_packet(struct cav_encoder *encoder, struct cav_packet *packet) {
    AVPacket *next = encoder->packet;
    int result = av.avcodec_receive_packet(encoder->context, next);
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return 0;
    if (result < 0) return result;
    *packet = (struct cav_packet){
        .bytes = next->data,
        .count = (size_t)next->size,
        .time = next->pts,
        .duration = next->duration,
        .is_key = next->flags & AV_PKT_FLAG_KEY,
    };
    return 1;
}
