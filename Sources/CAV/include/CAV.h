// libavformat and libavcodec without their structures, macros and symbols, none of which the program may
// load when it starts: the libraries are loaded by name when the first movie begins. Functions return 0 (or
// the documented value), or a negative error that cav_describe_error describes.
// A muxer or an encoder belongs to one thread; cav_load, and functions without either, may run on any.
#ifndef CAV_H
#define CAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cav_message {
    char text[256];
};

// The libraries

/// Their file names, by the version of the headers that we were built with.
struct cav_libraries {
    const char *format, *codec, *util;
};
extern const struct cav_libraries cav_libraries;

/// Loads the libraries and finds all of their functions that we use. 0, or -1 with the reason. Any thread,
/// any number of times; each success needs a call of cav_unload.
int cav_load(struct cav_libraries libraries, struct cav_message *reason);

/// Unloads the libraries if this is the last use: not before the last encoder and the last muxer are closed.
/// They and the 130 libraries that they need have 17 MB of the memory.
void cav_unload(void);

/// Keeps the libraries loaded until the process ends. Waits for another thread that unloads them.
///
/// Call it before exit(): glibc 2.36 may call a handler of a library that another thread has just unloaded.
void cav_keep_until_exit(void);

/// Describes an error: its meaning, and the last error that the library logged on this thread.
void cav_describe_error(int error, struct cav_message *message);

// Encoders

/// One encoded picture, or one encoded block of sound. It is valid until the next call with its
/// encoder or file.
struct cav_packet {
    const uint8_t *bytes;
    size_t count;
    /// In units of the encoder's or the track's timescale.
    int64_t time, duration;
    /// Can be decoded without those before.
    bool is_key;
};

struct cav_video {
    /// Such as "libx264".
    const char *encoder;
    /// NULL, or pairs of names and values that end with NULL: the encoder's own options.
    const char *const *options;
    int width, height;
    /// Units of time in a second.
    int timescale;
    /// Nominal frames per second.
    double rate;
    /// Maximum number of frames from one key frame to the next; requested key frames are additional.
    int group;
    /// Bits per second; 0: the options determine the rate.
    int64_t bit_rate;
    int threads;
    /// The chroma samples lie in pairs, in one plane (NV12); otherwise in two planes (I420).
    bool pairs_chroma;
    /// Rows follow each other without padding.
    bool packs_rows;
};

struct cav_encoder;

/// H.264 of pictures with BT.601's matrix and limited range, in key frame groups without B-frames; Annex B,
/// parameter sets in-band.
int cav_open_video(const struct cav_video *video, struct cav_encoder **encoder);

/// AAC. `samples`: how many of each channel make one frame.
int cav_open_sound(int rate, int channels, int64_t bit_rate, struct cav_encoder **encoder, int *samples);

/// Where the next frame is to be put: up to three planes of samples, or the channels' floats.
struct cav_frame {
    uint8_t *planes[3];
    int strides[3];
};
int cav_next_frame(struct cav_encoder *encoder, struct cav_frame *frame);

/// Encodes the frame that was written there.
int cav_encode(struct cav_encoder *encoder, int64_t time, bool as_key);

/// Flushes the encoder: the remaining packets follow, and it accepts no further frame.
int cav_encode_end(struct cav_encoder *encoder);

/// 1: there is a packet; 0: none before the next frame, or after the flush, none any more.
int cav_next_packet(struct cav_encoder *encoder, struct cav_packet *packet);
void cav_close_encoder(struct cav_encoder *encoder);

// Decoders

struct cav_decoder;

/// A decoded picture in 4:2:0 or 4:2:2, eight bits for each sample. It is valid until the next call with its
/// decoder.
struct cav_picture {
    const uint8_t *planes[3];
    int strides[3];
    int width, height;
    /// Chroma has half of the rows; otherwise all of them.
    bool halves_rows;
    /// Samples from 0 to 255; otherwise luma from 16 to 235, chroma from 16 to 240.
    bool full_range;
};

/// Of H.264 on one thread, without delay: a picture comes out with its own access unit.
int cav_open_decoder(struct cav_decoder **decoder);

/// cav_decode() returns this for a picture that isn't of 8 bits, or has other planes than those of 4:2:0 and
/// 4:2:2. The libraries' errors have other numbers.
enum { cav_unsupported_picture = INT32_MIN };

/// Decodes an access unit in Annex B. Pictures of more than so many `pixels` are refused. 1: there is a
/// picture; 0: none, it needs more; negative: it is damaged, or of a kind that is not supported.
int cav_decode(
    struct cav_decoder *decoder, const uint8_t *bytes, size_t count, int64_t pixels, struct cav_picture *picture);

/// Forgets all that was decoded.
void cav_flush_decoder(struct cav_decoder *decoder);
void cav_close_decoder(struct cav_decoder *decoder);

// Muxers

struct cav_muxer;

/// Writes bytes at an offset of the file. 0, or -errno.
typedef int (*cav_write)(void *context, const uint8_t *bytes, size_t count, int64_t offset);

/// `kind`: "mp4" or "matroska". The context must outlive the muxer.
int cav_open_muxer(const char *kind, cav_write write, void *context, struct cav_muxer **muxer);

/// One of the muxer's own options, before it begins.
int cav_set(struct cav_muxer *muxer, const char *name, const char *value);

struct cav_track {
    int width, height;
    /// Units of time in a second, for the packets of this track.
    int timescale;
    double rate;
    /// The colours are what the stream says; otherwise of BT.601's matrix and limited range.
    bool own_colours;
};
/// H.264 with its parameter sets in Annex B.
int cav_add_h264(
    struct cav_muxer *muxer, struct cav_track track, const uint8_t *configuration, size_t count);

/// JPEGs: BT.601's matrix, full range.
int cav_add_jpegs(struct cav_muxer *muxer, struct cav_track track);

/// A track for the packets of a sound encoder.
int cav_add_sound(struct cav_muxer *muxer, const struct cav_encoder *encoder);

/// Writes the file's head, after the last track was added.
int cav_begin(struct cav_muxer *muxer);

/// Writes a packet to the track of this number, in the order of addition. Each track's times grow.
int cav_mux(struct cav_muxer *muxer, int track, const struct cav_packet *packet);

/// Writes the file's end.
int cav_end(struct cav_muxer *muxer);

/// What is in a file: how many pictures, and where the last of them begins, in seconds after the first.
struct cav_contents {
    int64_t pictures;
    double last;
};

/// Reads a file to its end, or to where it is damaged: then the result is an error, and the contents are
/// those before the damage.
int cav_read(const char *path, struct cav_contents *contents);

/// Instead of tracks, begin, packets and end: all that is in a file. `length`: how long the last picture is
/// shown, in seconds, because fragments do not contain it.
int cav_copy(struct cav_muxer *muxer, const char *path, double length, struct cav_contents *contents);
void cav_close_muxer(struct cav_muxer *muxer);

#endif
