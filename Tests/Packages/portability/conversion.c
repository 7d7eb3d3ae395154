// CV4L2: frames of each pixel format that cameras send become I420; and the sizes that the driver's interface
// has are those of this machine's headers.
#include <linux/videodev2.h>

#include "CV4L2.h"
#include "samples.h"

int main(void) {
    static const uint32_t formats[] = {
        V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_UYVY, V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_NV16, V4L2_PIX_FMT_YUV420, V4L2_PIX_FMT_RGB24,
        V4L2_PIX_FMT_BGR24, V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_SBGGR8, V4L2_PIX_FMT_RGB565};
    enum { width = 64, height = 48 };
    for (unsigned at = 0; at < sizeof formats / sizeof *formats; at++) {
        struct cv4l2_format format = {.pixel_format = formats[at], .width = width, .height = height, .plane_count = 1};
        struct cv4l2_reason reason;
        uint8_t *frame = make_samples(width * height * 4, at), *to = calloc(1, width * height * 3 / 2);
        size_t length = width * height * 4;
        static const int bits[] = {16, 16, 12, 16, 12, 24, 24, 8, 8, 16};
        length = (size_t)(width * height * bits[at] / 8);
        format.planes[0].stride = (uint32_t)(at < 2 || at == 9 ? width * 2 : at == 5 || at == 6 ? width * 3 : width);
        format.planes[0].size = (uint32_t)length;
        int failed = cv4l2_convert(&format, frame, length, to, &reason);
        printf("%.4s %d ", (const char *)&formats[at], failed);
        print("picture", failed ? 0 : checksum(to, width * height * 3 / 2));
        free(frame);
        free(to);
    }
    struct cv4l2_identity identity;
    printf("not a device: %d\n", cv4l2_identify(0, &identity) < 0);
}
