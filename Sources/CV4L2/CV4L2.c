#include "CV4L2.h"
#include "Call.h"

#include <linux/videodev2.h>
#include <sys/mman.h>

_Static_assert((int)CV4L2_CAPTURE == (int)V4L2_BUF_TYPE_VIDEO_CAPTURE, "V4L2's type of buffers");
_Static_assert((int)CV4L2_OUTPUT == (int)V4L2_BUF_TYPE_VIDEO_OUTPUT, "V4L2's type of buffers");
_Static_assert((int)CV4L2_CAPTURE_PLANES == (int)V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE, "V4L2's type of buffers");
_Static_assert((int)CV4L2_OUTPUT_PLANES == (int)V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE, "V4L2's type of buffers");
_Static_assert((int)CV4L2_MOST_PLANES == VIDEO_MAX_PLANES, "V4L2's number of planes");

static enum cv4l2_buffers capture_of(uint32_t capabilities) {
    if (!(capabilities & V4L2_CAP_STREAMING)) return CV4L2_NO_BUFFERS;
    if (capabilities & V4L2_CAP_VIDEO_CAPTURE) return CV4L2_CAPTURE;
    // Codecs and scalers, which give what they are sent: some report that they capture and show video.
    if (capabilities & (V4L2_CAP_VIDEO_M2M_MPLANE | V4L2_CAP_VIDEO_OUTPUT_MPLANE)) return CV4L2_NO_BUFFERS;
    return capabilities & V4L2_CAP_VIDEO_CAPTURE_MPLANE ? CV4L2_CAPTURE_PLANES : CV4L2_NO_BUFFERS;
}

static enum cv4l2_buffers output_of(uint32_t capabilities) {
    // Codecs and scalers take frames only to give them back.
    if (capabilities & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) return CV4L2_NO_BUFFERS;
    if (capabilities & V4L2_CAP_VIDEO_OUTPUT) return CV4L2_OUTPUT;
    return capabilities & V4L2_CAP_VIDEO_OUTPUT_MPLANE ? CV4L2_OUTPUT_PLANES : CV4L2_NO_BUFFERS;
}

int cv4l2_identify(int fd, struct cv4l2_identity *identity) {
    struct v4l2_capability found = {0};
    int result = call(fd, VIDIOC_QUERYCAP, &found);
    if (result < 0) return result;
    copy(identity->driver, found.driver, sizeof identity->driver);
    copy(identity->card, found.card, sizeof identity->card);
    copy(identity->bus, found.bus_info, sizeof identity->bus);
    // Of this node, where the driver tells it apart from the others of its device.
    uint32_t own = found.capabilities & V4L2_CAP_DEVICE_CAPS ? found.device_caps : 0;
    uint32_t capabilities = own ? own : found.capabilities;
    identity->capture = capture_of(capabilities);
    identity->output = output_of(capabilities);
    identity->captures = capabilities & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE);
    identity->streams = capabilities & V4L2_CAP_STREAMING;
    identity->reads_and_writes = capabilities & V4L2_CAP_READWRITE;
    return 0;
}

// Formats

int cv4l2_frame_size(int fd, uint32_t pixel_format, uint32_t index, struct cv4l2_size *size) {
    struct v4l2_frmsizeenum found = {.index = index, .pixel_format = pixel_format};
    int result = call(fd, VIDIOC_ENUM_FRAMESIZES, &found);
    if (result < 0) return result;
    if (found.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        *size = (struct cv4l2_size){.width = found.discrete.width, .height = found.discrete.height};
        return 0;
    }
    const struct v4l2_frmsize_stepwise *range = &found.stepwise;
    *size = (struct cv4l2_size){
        .width = range->max_width, .height = range->max_height, .is_range = true,
        .least_width = range->min_width, .least_height = range->min_height,
        .width_step = range->step_width, .height_step = range->step_height};
    return 0;
}

static bool is_full_range(uint32_t quantization, uint32_t colorspace) {
    return quantization == V4L2_QUANTIZATION_FULL_RANGE ||
        (quantization == V4L2_QUANTIZATION_DEFAULT && colorspace == V4L2_COLORSPACE_JPEG);
}

static struct cv4l2_format single_planar(const struct v4l2_pix_format *pix) {
    return (struct cv4l2_format){
        .pixel_format = pix->pixelformat, .width = pix->width, .height = pix->height,
        .plane_count = 1, .planes = {{.stride = pix->bytesperline, .size = pix->sizeimage}},
        .full_range = is_full_range(pix->quantization, pix->colorspace)};
}

static struct cv4l2_format multi_planar(const struct v4l2_pix_format_mplane *pix) {
    struct cv4l2_format format = {
        .pixel_format = pix->pixelformat, .width = pix->width, .height = pix->height,
        .plane_count = pix->num_planes,
        .full_range = is_full_range(pix->quantization, pix->colorspace)};
    for (int i = 0; i < CV4L2_MOST_PLANES; i++)
        format.planes[i] = (struct cv4l2_plane_format){
            .stride = pix->plane_fmt[i].bytesperline, .size = pix->plane_fmt[i].sizeimage};
    return format;
}

static struct cv4l2_format described(const struct v4l2_format *from) {
    return V4L2_TYPE_IS_MULTIPLANAR(from->type) ? multi_planar(&from->fmt.pix_mp) : single_planar(&from->fmt.pix);
}

int cv4l2_get_format(struct cv4l2_node node, struct cv4l2_format *format) {
    struct v4l2_format found = {.type = node.buffers};
    int result = call(node.fd, VIDIOC_G_FMT, &found);
    if (result == 0) *format = described(&found);
    return result;
}

// Frames that a device shows to others: programs expect a camera's colours.
static void request_output(struct v4l2_format *wanted) {
    struct v4l2_pix_format *one = &wanted->fmt.pix;
    struct v4l2_pix_format_mplane *several = &wanted->fmt.pix_mp;
    one->field = V4L2_FIELD_NONE;
    if (V4L2_TYPE_IS_MULTIPLANAR(wanted->type)) {
        several->num_planes = 1;
        several->colorspace = V4L2_COLORSPACE_SMPTE170M;
        several->ycbcr_enc = V4L2_YCBCR_ENC_601;
        several->quantization = V4L2_QUANTIZATION_LIM_RANGE;
    } else {
        one->priv = V4L2_PIX_FMT_PRIV_MAGIC;
        one->colorspace = V4L2_COLORSPACE_SMPTE170M;
        one->ycbcr_enc = V4L2_YCBCR_ENC_601;
        one->quantization = V4L2_QUANTIZATION_LIM_RANGE;
    }
}

static int call_for_format(struct cv4l2_node node, unsigned long request, struct cv4l2_format *format) {
    struct v4l2_format wanted = {.type = node.buffers};
    // These members have the same places in `pix_mp`.
    wanted.fmt.pix.pixelformat = format->pixel_format;
    wanted.fmt.pix.width = format->width;
    wanted.fmt.pix.height = format->height;
    wanted.fmt.pix.field = V4L2_FIELD_ANY;
    if (V4L2_TYPE_IS_OUTPUT(wanted.type)) request_output(&wanted);
    int result = call(node.fd, request, &wanted);
    if (result == 0) *format = described(&wanted);
    return result;
}

int cv4l2_set_format(struct cv4l2_node node, struct cv4l2_format *format) {
    return call_for_format(node, VIDIOC_S_FMT, format);
}

int cv4l2_try_format(struct cv4l2_node node, struct cv4l2_format *format) {
    return call_for_format(node, VIDIOC_TRY_FMT, format);
}

int cv4l2_set_rate(struct cv4l2_node node, double *rate) {
    struct v4l2_streamparm wanted = {.type = node.buffers};
    // The members of `output` have the same places.
    wanted.parm.capture.timeperframe.numerator = 1000;
    wanted.parm.capture.timeperframe.denominator = (uint32_t)(*rate * 1000 + 0.5);
    int result = call(node.fd, VIDIOC_S_PARM, &wanted);
    struct v4l2_fract chosen = wanted.parm.capture.timeperframe;
    if (result == 0 && chosen.numerator) *rate = (double)chosen.denominator / chosen.numerator;
    return result;
}

int cv4l2_set_input(int fd, int input) { return call(fd, VIDIOC_S_INPUT, &input); }

// Controls

const uint32_t cv4l2_zoom_absolute = V4L2_CID_ZOOM_ABSOLUTE;
const uint32_t cv4l2_zoom_continuous = V4L2_CID_ZOOM_CONTINUOUS;
const uint32_t cv4l2_exposure_bias = V4L2_CID_AUTO_EXPOSURE_BIAS;
const uint32_t cv4l2_privacy = V4L2_CID_PRIVACY;
const uint32_t cv4l2_force_key_frame = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
const uint32_t cv4l2_camera_orientation = V4L2_CID_CAMERA_ORIENTATION;
const uint32_t cv4l2_camera_sensor_rotation = V4L2_CID_CAMERA_SENSOR_ROTATION;
const uint32_t cv4l2_horizontal_flip = V4L2_CID_HFLIP;
const uint32_t cv4l2_vertical_flip = V4L2_CID_VFLIP;
const uint32_t cv4l2_rotate = V4L2_CID_ROTATE;

int cv4l2_control_after(int fd, uint32_t after, struct cv4l2_control *control) {
    struct v4l2_query_ext_ctrl found = {
        .id = after | V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND};
    int result = call(fd, VIDIOC_QUERY_EXT_CTRL, &found);
    if (result < 0) return result;
    control->id = found.id;
    copy(control->name, found.name, sizeof control->name);
    control->minimum = found.minimum;
    control->maximum = found.maximum;
    control->step = (int64_t)found.step;
    control->standard = found.default_value;
    control->disabled = found.flags & V4L2_CTRL_FLAG_DISABLED;
    control->inactive = found.flags & V4L2_CTRL_FLAG_INACTIVE;
    control->grabbed = found.flags & V4L2_CTRL_FLAG_GRABBED;
    control->read_only = found.flags & V4L2_CTRL_FLAG_READ_ONLY;
    control->write_only = found.flags & V4L2_CTRL_FLAG_WRITE_ONLY;
    control->type = found.type;
    control->is_array = found.nr_of_dims > 0;
    return 0;
}

int cv4l2_menu_item(int fd, uint32_t id, uint32_t index, bool has_numbers, struct cv4l2_item *item) {
    struct v4l2_querymenu found = {.id = id, .index = index};
    int result = call(fd, VIDIOC_QUERYMENU, &found);
    if (result < 0) return result;
    // Title and value share their place.
    if (has_numbers) {
        item->title[0] = 0;
        item->value = found.value;
    } else {
        copy(item->title, found.name, sizeof item->title);
        item->value = 0;
    }
    return 0;
}

static uint32_t raw_type(int fd, uint32_t id) {
    struct v4l2_query_ext_ctrl found = {.id = id};
    return call(fd, VIDIOC_QUERY_EXT_CTRL, &found) == 0 ? found.type : 0;
}

// How wide a value is, and whether it has a sign, depends on the control's type.
static int64_t value_of(uint32_t type, int32_t narrow, int64_t wide) {
    switch (type) {
    case V4L2_CTRL_TYPE_INTEGER64: return wide;
    case V4L2_CTRL_TYPE_BITMASK: return (uint32_t)narrow;
    default: return narrow;
    }
}

static bool is_wide(int fd, uint32_t id) { return raw_type(fd, id) == V4L2_CTRL_TYPE_INTEGER64; }

int cv4l2_read_control(int fd, uint32_t id, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    int result = call(fd, VIDIOC_G_EXT_CTRLS, &controls);
    if (result == 0) *value = value_of(raw_type(fd, id), control.value, control.value64);
    return result;
}

int cv4l2_read_text(int fd, uint32_t id, char *text, uint32_t room) {
    struct v4l2_ext_control control = {.id = id, .size = room, .string = text};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    int result = call(fd, VIDIOC_G_EXT_CTRLS, &controls);
    if (result == 0 && room > 0) text[room - 1] = 0;
    return result;
}

int cv4l2_write_controls(int fd, const uint32_t *ids, const int64_t *values, uint32_t count, uint32_t *blamed) {
    enum { MOST = 64 };
    struct v4l2_ext_control list[MOST] = {0};
    *blamed = count;
    if (count > MOST) return -E2BIG;
    for (uint32_t i = 0; i < count; i++) {
        list[i].id = ids[i];
        if (is_wide(fd, ids[i]))
            list[i].value64 = values[i];
        else
            list[i].value = (int32_t)values[i];
    }
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = count, .controls = list};
    int result = call(fd, VIDIOC_S_EXT_CTRLS, &controls);
    if (result < 0 && controls.error_idx < count) *blamed = controls.error_idx;
    return result;
}

int cv4l2_try_control(int fd, uint32_t id, int64_t *value) {
    struct v4l2_ext_control control = {.id = id, .value = (int32_t)*value};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    int result = call(fd, VIDIOC_TRY_EXT_CTRLS, &controls);
    if (result == 0) *value = control.value;
    return result;
}

const char *cv4l2_unit(uint32_t id) {
    switch (id) {
    case V4L2_CID_EXPOSURE_ABSOLUTE: return "100 µs";
    case V4L2_CID_AUTO_EXPOSURE_BIAS: return "EV";
    case V4L2_CID_WHITE_BALANCE_TEMPERATURE: return "K";
    case V4L2_CID_PAN_ABSOLUTE:
    case V4L2_CID_TILT_ABSOLUTE:
    case V4L2_CID_PAN_RELATIVE:
    case V4L2_CID_TILT_RELATIVE: return "arcsec";
    case V4L2_CID_ROTATE: return "°";
    default: return NULL;
    }
}

// Events

int cv4l2_subscribe(int fd, uint32_t control) {
    struct v4l2_event_subscription wanted = {.type = V4L2_EVENT_CTRL, .id = control};
    return call(fd, VIDIOC_SUBSCRIBE_EVENT, &wanted);
}

int cv4l2_next_event(int fd, struct cv4l2_event *event) {
    struct v4l2_event found = {0};
    int result = call(fd, VIDIOC_DQEVENT, &found);
    if (result < 0) return result;
    event->control = found.id;
    event->value = value_of(found.u.ctrl.type, found.u.ctrl.value, found.u.ctrl.value64);
    event->value_changed = found.u.ctrl.changes & V4L2_EVENT_CTRL_CH_VALUE;
    event->nature_changed = found.u.ctrl.changes & (V4L2_EVENT_CTRL_CH_FLAGS | V4L2_EVENT_CTRL_CH_RANGE);
    return 0;
}

// Crop

const uint32_t cv4l2_crop = V4L2_SEL_TGT_CROP;
const uint32_t cv4l2_whole_crop = V4L2_SEL_TGT_CROP_DEFAULT;
const uint32_t cv4l2_compose = V4L2_SEL_TGT_COMPOSE;

// These calls take the types of single-planar buffers for both APIs, in all kernels.
static uint32_t single_planar_type(uint32_t buffers) {
    if (buffers == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) return V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return buffers == V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE ? V4L2_BUF_TYPE_VIDEO_OUTPUT : buffers;
}

static int select_rectangle(
    int fd, unsigned long request, uint32_t buffers, uint32_t target, struct cv4l2_rectangle *rectangle) {
    struct v4l2_selection about = {.type = single_planar_type(buffers), .target = target};
    about.r = (struct v4l2_rect){rectangle->left, rectangle->top, rectangle->width, rectangle->height};
    int result = call(fd, request, &about);
    if (result == 0)
        *rectangle = (struct cv4l2_rectangle){about.r.left, about.r.top, about.r.width, about.r.height};
    return result;
}

int cv4l2_get_selection(int fd, uint32_t buffers, uint32_t target, struct cv4l2_rectangle *rectangle) {
    return select_rectangle(fd, VIDIOC_G_SELECTION, buffers, target, rectangle);
}

int cv4l2_set_selection(int fd, uint32_t buffers, uint32_t target, struct cv4l2_rectangle *rectangle) {
    return select_rectangle(fd, VIDIOC_S_SELECTION, buffers, target, rectangle);
}

// Streaming

int cv4l2_request_buffers(struct cv4l2_node node, uint32_t *count) {
    struct v4l2_requestbuffers wanted = {.count = *count, .type = node.buffers, .memory = V4L2_MEMORY_MMAP};
    int result = call(node.fd, VIDIOC_REQBUFS, &wanted);
    if (result == 0) *count = wanted.count;
    return result;
}

// A call about a buffer. With both APIs the planes are in `planes` afterwards, and `buffer.length` has their
// number.
struct buffer_call {
    struct v4l2_buffer buffer;
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
};

static int call_for_buffer(
    struct cv4l2_node node, unsigned long request, uint32_t index, uint32_t bytes, struct buffer_call *about) {
    *about = (struct buffer_call){
        .buffer = {.index = index, .type = node.buffers, .memory = V4L2_MEMORY_MMAP, .bytesused = bytes},
        .planes = {{.bytesused = bytes}}};
    struct v4l2_buffer *buffer = &about->buffer;
    if (V4L2_TYPE_IS_OUTPUT(buffer->type)) buffer->field = V4L2_FIELD_NONE;
    bool has_planes = V4L2_TYPE_IS_MULTIPLANAR(buffer->type);
    if (has_planes) {
        buffer->m.planes = about->planes;
        buffer->length = VIDEO_MAX_PLANES;
    }
    int result = call(node.fd, request, buffer);
    if (result < 0 || has_planes) return result;
    about->planes[0] = (struct v4l2_plane){
        .bytesused = buffer->bytesused, .length = buffer->length, .m.mem_offset = buffer->m.offset};
    buffer->length = 1;
    return 0;
}

int cv4l2_query_buffer(struct cv4l2_node node, uint32_t index, struct cv4l2_memory *memory) {
    struct buffer_call about;
    int result = call_for_buffer(node, VIDIOC_QUERYBUF, index, 0, &about);
    if (result < 0) return result;
    memory->plane_count = about.buffer.length;
    for (int i = 0; i < CV4L2_MOST_PLANES; i++)
        memory->planes[i] = (struct cv4l2_plane_memory){
            .length = about.planes[i].length, .offset = about.planes[i].m.mem_offset};
    return 0;
}

int cv4l2_map(int fd, struct cv4l2_plane_memory plane, const uint8_t **start) {
    void *memory = mmap(NULL, plane.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, plane.offset);
    if (memory == MAP_FAILED) return -errno;
    *start = memory;
    return 0;
}

void cv4l2_unmap(const uint8_t *start, size_t length) { munmap((void *)start, length); }

int cv4l2_queue(struct cv4l2_node node, uint32_t index, uint32_t bytes) {
    struct buffer_call about;
    return call_for_buffer(node, VIDIOC_QBUF, index, bytes, &about);
}

int cv4l2_dequeue(struct cv4l2_node node, struct cv4l2_buffer *buffer) {
    struct buffer_call about;
    int result = call_for_buffer(node, VIDIOC_DQBUF, 0, 0, &about);
    if (result < 0) return result;
    const struct v4l2_buffer *found = &about.buffer;
    buffer->index = found->index;
    buffer->sequence = found->sequence;
    buffer->plane_count = found->length;
    for (int i = 0; i < CV4L2_MOST_PLANES; i++)
        buffer->planes[i] = (struct cv4l2_plane_use){
            .used = about.planes[i].bytesused, .offset = about.planes[i].data_offset};
    bool steady = (found->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->time =
        steady ? (int64_t)found->timestamp.tv_sec * 1000000000 + (int64_t)found->timestamp.tv_usec * 1000 : 0;
    buffer->timed_at_start = (found->flags & V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
    buffer->damaged = found->flags & V4L2_BUF_FLAG_ERROR;
    return 0;
}

int cv4l2_stream(struct cv4l2_node node, bool on) {
    int type = node.buffers;
    return call(node.fd, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
