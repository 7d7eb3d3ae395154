// libyaml's parser, which knows the line of every value. Imported by Configuration alone.
#include <yaml.h>
