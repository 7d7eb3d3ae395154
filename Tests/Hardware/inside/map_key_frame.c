// Makes the control of the camera's extension unit a control of V4L2, as the programs of vendors do: the
// kernel's driver knows no such units by itself. The mapping stays until the camera is unplugged.
//
//     map_key_frame /dev/videoN

#include <fcntl.h>
#include <linux/usb/video.h>
#include <linux/uvcvideo.h>
#include <linux/v4l2-controls.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../camera/extension.h"

int main(int count, char **words) {
    struct uvc_xu_control_mapping mapping = {
        .id = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME,
        .name = "Force Key Frame",
        .selector = key_frame_selector,
        // The driver sets all bits of a button.
        .size = 1,
        .v4l2_type = V4L2_CTRL_TYPE_BUTTON,
        .data_type = UVC_CTRL_DATA_TYPE_UNSIGNED,
    };
    memcpy(mapping.entity, EXTENSION_GUID, sizeof mapping.entity);
    int device = count == 2 ? open(words[1], O_RDWR | O_CLOEXEC) : -1;
    if (device < 0 || ioctl(device, UVCIOC_CTRL_MAP, &mapping)) {
        perror(count == 2 ? words[1] : "map_key_frame NODE");
        return 1;
    }
    return 0;
}
