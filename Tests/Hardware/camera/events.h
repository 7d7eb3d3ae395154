#pragma once
#include "clock.h"
#include "controls.h"

/// Reports to the host that the camera changed this control by itself. It is lost while the camera is not
/// open.
void events_changed(struct control *control, instant time);

/// Hands the host what it listens for; returns when to look again.
instant events_serve(instant time);
