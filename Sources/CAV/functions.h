// The functions of the libraries that are used here, as pointers that cav_load fills in.
#ifndef CAV_FUNCTIONS_H
#define CAV_FUNCTIONS_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>

#define CAV_FORMAT_FUNCTIONS(each) \
    each(av_interleaved_write_frame) each(av_read_frame) each(av_write_trailer) each(avformat_alloc_output_context2) \
    each(avformat_close_input) each(avformat_free_context) each(avformat_new_stream) each(avformat_open_input) \
    each(avformat_write_header) each(avio_alloc_context) each(avio_context_free)

#define CAV_CODEC_FUNCTIONS(each) \
    each(av_packet_alloc) each(av_packet_free) each(av_packet_rescale_ts) each(av_packet_unref) \
    each(avcodec_alloc_context3) each(avcodec_find_decoder) each(avcodec_find_encoder_by_name) \
    each(avcodec_flush_buffers) each(avcodec_free_context) each(avcodec_open2) each(avcodec_parameters_copy) \
    each(avcodec_parameters_from_context) each(avcodec_receive_frame) each(avcodec_receive_packet) \
    each(avcodec_send_frame) each(avcodec_send_packet)

#define CAV_UTIL_FUNCTIONS(each) \
    each(av_channel_layout_default) each(av_d2q) each(av_dict_free) each(av_dict_set) each(av_frame_alloc) \
    each(av_frame_free) each(av_frame_get_buffer) each(av_frame_make_writable) each(av_freep) each(av_log_set_callback) \
    each(av_malloc) each(av_mallocz) each(av_opt_set) each(av_strerror)

struct cav_functions {
#define CAV_MEMBER(name) __typeof__(&name) name;
    CAV_FORMAT_FUNCTIONS(CAV_MEMBER) CAV_CODEC_FUNCTIONS(CAV_MEMBER) CAV_UTIL_FUNCTIONS(CAV_MEMBER)
#undef CAV_MEMBER
};

/// Complete while the libraries are loaded.
extern struct cav_functions av;

/// Keeps the libraries loaded until another call of cav_unload: each encoder and each muxer does.
void cav_retain(void);

struct cav_encoder {
    AVCodecContext *context;
    AVFrame *frame;
    AVPacket *packet;
};

#endif
