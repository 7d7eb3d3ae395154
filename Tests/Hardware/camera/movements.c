#include "movements.h"

#include <math.h>

/// Of a step of speed, in units a second.
enum { zoom_step = 20, pan_tilt_step = 3600 };

struct motor zoom_motor;
struct motor pan_motor = {.low = -36000, .high = 36000}, tilt_motor = {.low = -36000, .high = 36000};

static int32_t position(const struct motor *motor, instant time) {
    return (int32_t)lround(motor_position(motor, time));
}

static int32_t direction(const struct motor *motor, instant time) {
    double way = motor->target - motor_position(motor, time);
    return (way > 0) - (way < 0);
}

void zoom_where(int32_t *values, instant time) {
    values[0] = position(&zoom_motor, time);
}

void zoom_go(const int32_t *values, instant time) {
    motor_go_to(&zoom_motor, values[0], time);
}

void zoom_speed_where(int32_t *values, instant time) {
    values[0] = direction(&zoom_motor, time);
}

void zoom_speed_go(const int32_t *values, instant time) {
    motor_run(&zoom_motor, (double)values[0] * values[2] * zoom_step, time);
}

void pan_tilt_where(int32_t *values, instant time) {
    values[0] = position(&pan_motor, time);
    values[1] = position(&tilt_motor, time);
}

void pan_tilt_go(const int32_t *values, instant time) {
    motor_go_to(&pan_motor, values[0], time);
    motor_go_to(&tilt_motor, values[1], time);
}

void pan_tilt_speed_where(int32_t *values, instant time) {
    values[0] = direction(&pan_motor, time);
    values[2] = direction(&tilt_motor, time);
}

void pan_tilt_speed_go(const int32_t *values, instant time) {
    motor_run(&pan_motor, (double)values[0] * values[1] * pan_tilt_step, time);
    motor_run(&tilt_motor, (double)values[2] * values[3] * pan_tilt_step, time);
}
