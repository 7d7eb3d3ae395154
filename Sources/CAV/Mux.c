#include "CAV.h"
#include "functions.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/// Bytes that are gathered before they are written.
#define GATHERED (256 << 10)
#define TRACKS 2

struct cav_muxer {
    AVFormatContext *context;
    AVPacket *packet;
    AVDictionary *options;
    cav_write write;
    void *write_context;
    /// Where in the file the next byte goes, and where its last one is.
    int64_t offset, end;
    /// Units of time of the tracks' packets.
    AVRational units[TRACKS];
};

#if LIBAVFORMAT_VERSION_MAJOR >= 61
static int write_bytes(void *context, const uint8_t *bytes, int count) {
#else
static int write_bytes(void *context, uint8_t *bytes, int count) {
#endif
    struct cav_muxer *muxer = context;
    int result = muxer->write(muxer->write_context, bytes, (size_t)count, muxer->offset);
    if (result < 0) return result;
    muxer->offset += count;
    if (muxer->end < muxer->offset) muxer->end = muxer->offset;
    return count;
}

static int64_t seek(void *context, int64_t offset, int whence) {
    struct cav_muxer *muxer = context;
    if (whence & AVSEEK_SIZE) return muxer->end;
    if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0) return AVERROR(EINVAL);
    return muxer->offset = offset;
}

void cav_close_muxer(struct cav_muxer *muxer) {
    if (!muxer) return;
    av.av_packet_free(&muxer->packet);
    av.av_dict_free(&muxer->options);
    if (muxer->context) {
        if (muxer->context->pb) av.av_freep(&muxer->context->pb->buffer);
        av.avio_context_free(&muxer->context->pb);
        av.avformat_free_context(muxer->context);
    }
    av.av_freep(&muxer);
    cav_unload();
}

int cav_open_muxer(const char *kind, cav_write write, void *context, struct cav_muxer **muxer) {
    struct cav_muxer *made = av.av_mallocz(sizeof *made);
    if (!made) return AVERROR(ENOMEM);
    cav_retain();
    made->write = write;
    made->write_context = context;
    int result = av.avformat_alloc_output_context2(&made->context, NULL, kind, NULL);
    if (result < 0) goto failed;

    result = AVERROR(ENOMEM);
    made->packet = av.av_packet_alloc();
    uint8_t *gathered = av.av_malloc(GATHERED);
    if (!made->packet || !gathered) {
        av.av_freep(&gathered);
        goto failed;
    }
    made->context->pb = av.avio_alloc_context(gathered, GATHERED, 1, made, NULL, write_bytes, seek);
    if (!made->context->pb) {
        av.av_freep(&gathered);
        goto failed;
    }
    made->context->flush_packets = 1;
    // A camera that stalls doesn't keep the sound from the file for longer, in microseconds.
    made->context->max_interleave_delta = 1000000;
    *muxer = made;
    return 0;
failed:
    cav_close_muxer(made);
    return result;
}

int cav_set(struct cav_muxer *muxer, const char *name, const char *value) {
    return av.av_dict_set(&muxer->options, name, value, 0);
}

static AVStream *add(struct cav_muxer *muxer, AVRational unit) {
    unsigned number = muxer->context->nb_streams;
    if (number >= TRACKS) return NULL;
    AVStream *stream = av.avformat_new_stream(muxer->context, NULL);
    if (stream) stream->time_base = muxer->units[number] = unit;
    return stream;
}

static AVStream *add_video(struct cav_muxer *muxer, struct cav_track track, enum AVCodecID codec) {
    AVStream *stream = add(muxer, (AVRational){1, track.timescale});
    if (!stream) return NULL;
    stream->avg_frame_rate = stream->r_frame_rate = av.av_d2q(track.rate, 1001000);
    stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    stream->codecpar->codec_id = codec;
    stream->codecpar->width = track.width;
    stream->codecpar->height = track.height;
    return stream;
}

int cav_add_h264(
    struct cav_muxer *muxer, struct cav_track track, const uint8_t *configuration, size_t count) {
    if (count > 1 << 16) return AVERROR(EINVAL);
    AVStream *stream = add_video(muxer, track, AV_CODEC_ID_H264);
    if (!stream) return AVERROR(ENOMEM);
    AVCodecParameters *parameters = stream->codecpar;
    parameters->format = AV_PIX_FMT_YUV420P;
    if (!track.own_colours) {
        parameters->color_primaries = AVCOL_PRI_BT709;
        parameters->color_trc = AVCOL_TRC_BT709;
        parameters->color_space = AVCOL_SPC_SMPTE170M;
        parameters->color_range = AVCOL_RANGE_MPEG;
    }
    parameters->extradata = av.av_mallocz(count + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!parameters->extradata) return AVERROR(ENOMEM);
    memcpy(parameters->extradata, configuration, count);
    parameters->extradata_size = (int)count;
    return 0;
}

int cav_add_jpegs(struct cav_muxer *muxer, struct cav_track track) {
    AVStream *stream = add_video(muxer, track, AV_CODEC_ID_MJPEG);
    if (!stream) return AVERROR(ENOMEM);
    stream->codecpar->color_space = AVCOL_SPC_BT470BG;
    stream->codecpar->color_range = AVCOL_RANGE_JPEG;
    return 0;
}

int cav_add_sound(struct cav_muxer *muxer, const struct cav_encoder *encoder) {
    AVStream *stream = add(muxer, encoder->context->time_base);
    if (!stream) return AVERROR(ENOMEM);
    int result = av.avcodec_parameters_from_context(stream->codecpar, encoder->context);
    if (result < 0) return result;
    // The frame that only primes the decoder isn't given to the muxer.
    stream->codecpar->initial_padding = 0;
    return 0;
}

int cav_begin(struct cav_muxer *muxer) {
    int result = av.avformat_write_header(muxer->context, &muxer->options);
    return result < 0 ? result : 0;
}

int cav_mux(struct cav_muxer *muxer, int track, const struct cav_packet *packet) {
    if (track < 0 || track >= (int)muxer->context->nb_streams || packet->count > INT_MAX) return AVERROR(EINVAL);
    AVPacket *next = muxer->packet;
    // Not counted references: the muxer makes a copy of its own.
    next->data = (uint8_t *)packet->bytes;
    next->size = (int)packet->count;
    next->stream_index = track;
    next->pts = next->dts = packet->time;
    next->duration = packet->duration;
    next->flags = packet->is_key ? AV_PKT_FLAG_KEY : 0;
    av.av_packet_rescale_ts(next, muxer->units[track], muxer->context->streams[track]->time_base);
    return av.av_interleaved_write_frame(muxer->context, next);
}

int cav_end(struct cav_muxer *muxer) {
    int result = av.av_write_trailer(muxer->context);
    return result < 0 ? result : muxer->context->pb->error;
}

/// Reads all packets, and writes them when there is a muxer. `length`: duration in seconds of a picture whose
/// packet has none.
static int copy_packets(struct cav_muxer *muxer, AVFormatContext *from, AVPacket *next, double length, struct cav_contents *contents) {
    double first = 0;
    *contents = (struct cav_contents){0};
    for (;;) {
        int result = av.av_read_frame(from, next);
        if (result == AVERROR_EOF) return 0;
        if (result < 0) return result;
        AVStream *source = from->streams[next->stream_index];
        if (source->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) {
            double time = (double)next->pts * source->time_base.num / source->time_base.den;
            if (contents->pictures++ == 0) first = time;
            contents->last = time - first;
            if (next->duration <= 0) next->duration = (int64_t)(length * source->time_base.den / source->time_base.num);
        }
        if (!muxer) {
            av.av_packet_unref(next);
            continue;
        }
        av.av_packet_rescale_ts(next, source->time_base, muxer->context->streams[next->stream_index]->time_base);
        next->pos = -1;
        result = av.av_interleaved_write_frame(muxer->context, next);
        if (result < 0) return result;
    }
}

int cav_read(const char *path, struct cav_contents *contents) {
    AVFormatContext *from = NULL;
    int result = av.avformat_open_input(&from, path, NULL, NULL);
    if (result < 0) return result;
    AVPacket *packet = av.av_packet_alloc();
    result = packet ? copy_packets(NULL, from, packet, 0, contents) : AVERROR(ENOMEM);
    // Readers take an error of the disk for the end of the file.
    if (result >= 0) result = from->pb->error;
    av.av_packet_free(&packet);
    av.avformat_close_input(&from);
    return result;
}

int cav_copy(struct cav_muxer *muxer, const char *path, double length, struct cav_contents *contents) {
    AVFormatContext *from = NULL;
    int result = av.avformat_open_input(&from, path, NULL, NULL);
    if (result < 0) return result;
    for (unsigned i = 0; i < from->nb_streams && result >= 0; i++) {
        AVStream *stream = add(muxer, from->streams[i]->time_base);
        result = stream ? av.avcodec_parameters_copy(stream->codecpar, from->streams[i]->codecpar) : AVERROR(EINVAL);
        // The other container may have another one.
        if (stream) stream->codecpar->codec_tag = 0;
    }
    if (result >= 0) result = cav_begin(muxer);
    if (result >= 0) result = copy_packets(muxer, from, muxer->packet, length, contents);
    if (result >= 0) result = cav_end(muxer);
    av.avformat_close_input(&from);
    return result;
}
