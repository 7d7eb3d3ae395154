#pragma once
#include "controls.h"

/// All that the camera may have; ends with one that has no name.
extern struct control control_table[];
