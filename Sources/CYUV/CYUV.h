// libyuv's work on planes of bytes. Imported by Media/Imaging alone.
#include <libyuv/planar_functions.h>
#include <libyuv/rotate.h>
#include <libyuv/scale.h>
