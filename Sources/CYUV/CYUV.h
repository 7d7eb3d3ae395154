// libyuv's scalers for planes of bytes. Imported by Imaging alone.
#include <libyuv/scale.h>
