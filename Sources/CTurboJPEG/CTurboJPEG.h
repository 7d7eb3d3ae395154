// libjpeg-turbo's TurboJPEG interface. Imported by Imaging alone.
#include <turbojpeg.h>
