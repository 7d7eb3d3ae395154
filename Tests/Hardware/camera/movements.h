#pragma once
#include "clock.h"
#include "motor.h"

// The camera's motors, and the controls that drive them.

extern struct motor zoom_motor, pan_motor, tilt_motor;

void zoom_where(int32_t *values, instant time);
void zoom_go(const int32_t *values, instant time);
void zoom_speed_where(int32_t *values, instant time);
void zoom_speed_go(const int32_t *values, instant time);
void pan_tilt_where(int32_t *values, instant time);
void pan_tilt_go(const int32_t *values, instant time);
void pan_tilt_speed_where(int32_t *values, instant time);
void pan_tilt_speed_go(const int32_t *values, instant time);
