#pragma once

// The camera's extension unit. Programs of the host name it by its GUID (`inside/map_key_frame.c`).

/// 16 bytes, the last one of them zero.
#define EXTENSION_GUID "v4l2mqtt key fr"

/// The only control of the unit, of one byte: whatever is written to it, the next frame is a key frame.
enum { key_frame_selector = 1 };
