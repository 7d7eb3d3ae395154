#pragma once
#include "clock.h"

/// Answers what waits on the control endpoint, in order, as far as it is due; returns when to look again.
instant requests_serve(instant time);
