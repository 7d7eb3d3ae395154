// Jansson, the JSON library. Imported by Messages alone.
#include <jansson.h>
