#include "control_table.h"

#include <linux/usb/video.h>

#include "extension.h"
#include "h264.h"
#include "movements.h"

enum { both = readable | writable };

// Speeds (UVC_CT_…_RELATIVE) are a direction, which is -1, 0 or 1 and has no range, and a speed. The kernel
// takes their range from the speed's bytes of GET_MIN and GET_MAX; with a least speed of 1, as many cameras
// have it, the driver cannot stop the motor.
struct control control_table[] = {
    {"zoom", camera_terminal, UVC_CT_ZOOM_ABSOLUTE_CONTROL, 9, both, .fields = {{2, 100, 500, 1, 100}},
     .where = zoom_where, .go = zoom_go},
    {"zoom_speed", camera_terminal, UVC_CT_ZOOM_RELATIVE_CONTROL, 10, both | auto_update,
     .fields = {{1, -1, -1, 0, 0}, {1, 0, 0, 0, 0}, {1, 1, 7, 1, 1}}, .where = zoom_speed_where, .go = zoom_speed_go},
    {"pan_tilt", camera_terminal, UVC_CT_PANTILT_ABSOLUTE_CONTROL, 11, both,
     .fields = {{4, -36000, 36000, 3600, 0}, {4, -36000, 36000, 3600, 0}}, .where = pan_tilt_where, .go = pan_tilt_go},
    {"pan_tilt_speed", camera_terminal, UVC_CT_PANTILT_RELATIVE_CONTROL, 12, both | auto_update,
     .fields = {{1, -1, -1, 0, 0}, {1, 1, 8, 1, 1}, {1, -1, -1, 0, 0}, {1, 1, 8, 1, 1}},
     .where = pan_tilt_speed_where, .go = pan_tilt_speed_go},
    {"focus", camera_terminal, UVC_CT_FOCUS_ABSOLUTE_CONTROL, 5, both, .fields = {{2, 0, 250, 5, 0}}, .lock = "autofocus", .unlocked = 0},
    {"autofocus", camera_terminal, UVC_CT_FOCUS_AUTO_CONTROL, 17, both, .fields = {{1, 0, 1, 1, 1}}},
    // Modes are bits: manual 1, auto 2, shutter priority 4, aperture priority 8. GET_RES has the ones that
    // exist.
    {"exposure_mode", camera_terminal, UVC_CT_AE_MODE_CONTROL, 1, both, .fields = {{1, 1, 8, 1 | 8, 8}}},
    {"exposure", camera_terminal, UVC_CT_EXPOSURE_TIME_ABSOLUTE_CONTROL, 3, both, .fields = {{4, 3, 2047, 1, 250}},
     .lock = "exposure_mode", .unlocked = 1},
    {"privacy", camera_terminal, UVC_CT_PRIVACY_CONTROL, 18, readable | auto_update, .fields = {{1, 0, 1, 1, 0}}},
    {"brightness", processing_unit, UVC_PU_BRIGHTNESS_CONTROL, 0, both, .fields = {{2, -64, 64, 1, 0}}},
    {"contrast", processing_unit, UVC_PU_CONTRAST_CONTROL, 1, both, .fields = {{2, 0, 100, 1, 50}}},
    {"hue", processing_unit, UVC_PU_HUE_CONTROL, 2, both, .fields = {{2, -180, 180, 1, 0}}},
    {"saturation", processing_unit, UVC_PU_SATURATION_CONTROL, 3, both, .fields = {{2, 0, 200, 1, 100}}},
    {"sharpness", processing_unit, UVC_PU_SHARPNESS_CONTROL, 4, both, .fields = {{2, 0, 10, 1, 3}}},
    {"white_balance", processing_unit, UVC_PU_WHITE_BALANCE_TEMPERATURE_CONTROL, 6, both, .fields = {{2, 2800, 6500, 10, 4600}},
     .lock = "auto_white_balance", .unlocked = 0},
    {"auto_white_balance", processing_unit, UVC_PU_WHITE_BALANCE_TEMPERATURE_AUTO_CONTROL, 12, both, .fields = {{1, 0, 1, 1, 1}}},
    {"backlight", processing_unit, UVC_PU_BACKLIGHT_COMPENSATION_CONTROL, 8, both, .fields = {{2, 0, 2, 1, 0}}},
    {"gain", processing_unit, UVC_PU_GAIN_CONTROL, 9, both, .fields = {{2, 0, 255, 1, 32}}},
    {"power_line", processing_unit, UVC_PU_POWER_LINE_FREQUENCY_CONTROL, 10, both, .fields = {{1, 0, 2, 1, 1}}},
    // Of the extension unit: programs can map it to a control of V4L2.
    {"key_frame", extension_unit, key_frame_selector, 0, both, .fields = {{1, 0, 1, 1, 0}}, .go = h264_key_control, .absent = true},
    {.name = 0},
};
