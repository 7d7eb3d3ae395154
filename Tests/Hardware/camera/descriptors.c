#include "descriptors.h"

#include <linux/usb/ch9.h>
#include <linux/usb/video.h>
#include <string.h>

#include "bytes.h"
#include "controls.h"
#include "extension.h"
#include "formats.h"
#include "h264.h"
#include "options.h"

enum { manufacturer = 1, product, serial };

static uint8_t *out;
static unsigned length;

static void put(size_t size, uint32_t value) {
    store(out + length, value, size);
    length += (unsigned)size;
}

static void put_bytes(const void *bytes, size_t size) {
    memcpy(out + length, bytes, size);
    length += (unsigned)size;
}

#define BYTES(...) put_bytes((const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

static void device(void) {
    BYTES(18, USB_DT_DEVICE, 0x00, 0x02, USB_CLASS_MISC, 2, 1, 64);
    put(2, 0x1209);  // pid.codes, and its number for tests
    put(2, 0x0001);
    put(2, 0x0100);
    BYTES(manufacturer, product, serial, 1);
}

static void endpoint(uint8_t address, uint8_t kind, uint16_t packet, uint8_t interval) {
    BYTES(7, USB_DT_ENDPOINT, address | USB_DIR_IN, kind);
    put(2, packet);
    put(1, interval);
}

/// Between the processing unit and the output, if the camera has one.
static bool has_extension(void) { return controls_bitmap(extension_unit) != 0; }

static void extension(void) {
    BYTES(26, USB_DT_CS_INTERFACE, UVC_VC_EXTENSION_UNIT, extension_unit);
    put_bytes(EXTENSION_GUID, sizeof EXTENSION_GUID);
    BYTES(1, 1, processing_unit, 1, (uint8_t)controls_bitmap(extension_unit), 0);
}

static void control_part(void) {
    BYTES(9, USB_DT_INTERFACE, control_interface, 0, 1, USB_CLASS_VIDEO, UVC_SC_VIDEOCONTROL, 0, 0);
    unsigned start = length;
    uint8_t interfaces = options.second_node ? 2 : 1;
    BYTES(12 + interfaces, USB_DT_CS_INTERFACE, UVC_VC_HEADER, 0x10, 0x01);
    put(2, 0);  // stored below
    put(4, 48000000);
    BYTES(interfaces, video_interface);
    if (options.second_node) {
        put(1, second_interface);
    }
    BYTES(18, USB_DT_CS_INTERFACE, UVC_VC_INPUT_TERMINAL, camera_terminal, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 3);
    put(3, controls_bitmap(camera_terminal));
    BYTES(13, USB_DT_CS_INTERFACE, UVC_VC_PROCESSING_UNIT, processing_unit, camera_terminal, 0, 0, 3);
    put(3, controls_bitmap(processing_unit));
    BYTES(0, 0);
    if (has_extension()) {
        extension();
    }
    uint8_t source = has_extension() ? extension_unit : processing_unit;
    BYTES(9, USB_DT_CS_INTERFACE, UVC_VC_OUTPUT_TERMINAL, output_terminal, 0x01, 0x01, 0, source, 0);
    if (options.second_node) {
        BYTES(9, USB_DT_CS_INTERFACE, UVC_VC_OUTPUT_TERMINAL, second_terminal, 0x01, 0x01, 0, source, 0);
    }
    store(out + start + 5, length - start, 2);
    endpoint(event_endpoint, USB_ENDPOINT_XFER_INT, 32, 8);
    BYTES(5, USB_DT_CS_ENDPOINT, UVC_EP_INTERRUPT, 32, 0);
}

static void frames(uint8_t kind, enum format format) {
    for (uint8_t i = 0; i < sizes; i++) {
        uint32_t size = declared_length(format, frame_sizes[i]);
        BYTES(26 + 4 * rates, USB_DT_CS_INTERFACE, kind, i + 1, 0);
        put(2, frame_sizes[i].width);
        put(2, frame_sizes[i].height);
        put(4, size * 8 * 5);
        put(4, size * 8 * 30);
        put(4, size);
        put(4, frame_intervals[0]);
        put(1, rates);
        for (unsigned rate = 0; rate < rates; rate++) {
            put(4, frame_intervals[rate]);
        }
    }
    BYTES(6, USB_DT_CS_INTERFACE, UVC_VS_COLORFORMAT, 1, 1, 4);
}

/// Frame-based video has one size, and no limit of a frame's bytes.
///
/// \param number The format's, within its interface.
static void h264_format(uint8_t number) {
    BYTES(28, USB_DT_CS_INTERFACE, UVC_VS_FORMAT_FRAME_BASED, number, 1);
    put_bytes("H264", 4);
    BYTES(0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71);
    BYTES(16, 1, 0, 0, 0, 0, 1);
    BYTES(26 + 4 * rates, USB_DT_CS_INTERFACE, UVC_VS_FRAME_FRAME_BASED, 1, 0);
    put(2, h264_width);
    put(2, h264_height);
    put(4, 100000);
    put(4, 8000000);
    put(4, frame_intervals[0]);
    put(1, rates);
    put(4, 0);
    for (unsigned rate = 0; rate < rates; rate++) {
        put(4, frame_intervals[rate]);
    }
    BYTES(6, USB_DT_CS_INTERFACE, UVC_VS_COLORFORMAT, 1, 1, 4);
}

static void picture_formats(void) {
    BYTES(27, USB_DT_CS_INTERFACE, UVC_VS_FORMAT_UNCOMPRESSED, raw, sizes);
    put_bytes(options.nv12_bits ? "NV12" : "YUY2", 4);
    BYTES(0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71);
    BYTES(options.nv12_bits ? (uint8_t)options.nv12_bits : 16, 1, 0, 0, 0, 0);
    frames(UVC_VS_FRAME_UNCOMPRESSED, raw);
    BYTES(11, USB_DT_CS_INTERFACE, UVC_VS_FORMAT_MJPEG, mjpg, sizes, 0, 1, 0, 0, 0, 0);
    frames(UVC_VS_FRAME_MJPEG, mjpg);
}

static void video_part(uint8_t interface, uint8_t terminal, uint8_t at, bool pictures, bool video) {
    BYTES(9, USB_DT_INTERFACE, interface, 0, 1, USB_CLASS_VIDEO, UVC_SC_VIDEOSTREAMING, 0, 0);
    unsigned start = length;
    uint8_t formats = (uint8_t)((pictures ? 2 : 0) + (video ? 1 : 0));
    BYTES(13 + formats, USB_DT_CS_INTERFACE, UVC_VS_INPUT_HEADER, formats, 0, 0, at | USB_DIR_IN, 0, terminal, 0, 0, 0, 1);
    for (unsigned i = 0; i < formats; i++) {
        put(1, 0);
    }
    if (pictures) {
        picture_formats();
    }
    if (video) {
        h264_format(options.second_node ? 1 : h264);
    }
    store(out + start + 4, length - start, 2);
    endpoint(at, USB_ENDPOINT_XFER_BULK, 512, 0);
}

static void video_parts(void) {
    video_part(video_interface, output_terminal, video_endpoint, !options.only_h264, options.h264 && !options.second_node);
    if (options.second_node) {
        video_part(second_interface, second_terminal, second_endpoint, false, true);
    }
}

static void configuration(void) {
    uint8_t interfaces = options.second_node ? 3 : 2;
    BYTES(9, USB_DT_CONFIG, 0, 0, interfaces, 1, 0, USB_CONFIG_ATT_ONE, 250);
    BYTES(8, USB_DT_INTERFACE_ASSOCIATION, control_interface, interfaces, USB_CLASS_VIDEO, UVC_SC_VIDEO_INTERFACE_COLLECTION, 0, product);
    control_part();
    video_parts();
    store(out + 2, length, 2);
}

static void string(uint8_t index) {
    const char *texts[] = {"", "v4l2mqtt", options.product, options.serial};
    if (index == 0) {
        BYTES(4, USB_DT_STRING, 0x09, 0x04);  // English
    } else if (index <= serial) {
        BYTES((uint8_t)(2 + 2 * strlen(texts[index])), USB_DT_STRING);
        for (const char *letter = texts[index]; *letter; letter++) {
            put(2, (uint8_t)*letter);
        }
    }
}

unsigned descriptor(uint8_t type, uint8_t index, uint8_t *bytes) {
    out = bytes;
    length = 0;
    switch (type) {
        case USB_DT_DEVICE: device(); break;
        case USB_DT_CONFIG: configuration(); break;
        case USB_DT_STRING: string(index); break;
    }
    return length;
}
