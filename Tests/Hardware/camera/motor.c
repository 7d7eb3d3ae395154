#include "motor.h"

#include <math.h>

static double within(const struct motor *motor, double position) {
    return fmin(fmax(position, motor->low), motor->high);
}

double motor_position(const struct motor *motor, instant time) {
    double way = motor->target - motor->from, gone = motor->rate * (double)(time - motor->since) / second;
    return gone >= fabs(way) ? motor->target : motor->from + copysign(gone, way);
}

instant motor_arrival(const struct motor *motor, instant time) {
    double way = fabs(motor->target - motor_position(motor, time));
    return way == 0 ? NEVER : time + (instant)ceil(way / motor->rate * second);
}

static void move(struct motor *motor, double target, double rate, instant time) {
    motor->from = motor_position(motor, time);
    motor->since = time;
    motor->target = within(motor, target);
    motor->rate = rate;
}

void motor_go_to(struct motor *motor, double target, instant time) {
    if (motor->speed == 0) {
        motor_place(motor, target, time);
    } else {
        move(motor, target, motor->speed, time);
    }
}

void motor_run(struct motor *motor, double velocity, instant time) {
    double end = velocity > 0 ? motor->high : velocity < 0 ? motor->low : motor_position(motor, time);
    move(motor, end, fabs(velocity), time);
}

void motor_place(struct motor *motor, double position, instant time) {
    motor->from = motor->target = within(motor, position);
    motor->since = time;
}
