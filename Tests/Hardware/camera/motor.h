#pragma once
#include "clock.h"

/// Something that moves at its own speed between two ends. Positions are in the units of its control.
struct motor {
    double low, high;
    double speed;  ///< units a second towards a target; 0: immediately
    double from;   ///< where it was …
    instant since; ///< … then
    double target;
    double rate;   ///< units a second at the moment; unsigned
};

double motor_position(const struct motor *motor, instant time);

/// When it comes to rest: NEVER if it rests already.
instant motor_arrival(const struct motor *motor, instant time);

void motor_go_to(struct motor *motor, double target, instant time);

/// Moves on at this velocity (units a second, signed) to the end; 0 stops.
void motor_run(struct motor *motor, double velocity, instant time);

/// Moves there immediately, as when a person turns the lens.
void motor_place(struct motor *motor, double position, instant time);
