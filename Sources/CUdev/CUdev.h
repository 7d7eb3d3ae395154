// What devices come and go. Imported by Cameras alone.
#include <libudev.h>
