/* Sine with dwell (FMVSS 126, UN R140) of a car with or without its unit, and the slowly increasing
 * steer that gives the unit of its amplitudes. */
#ifndef SKIDPAD_TESTS_ECU_SINE_H
#define SKIDPAD_TESTS_ECU_SINE_H

#include "rt-tests/support/ecu_car.h"

struct sine_slow {
    double A_rad;          /* hand wheel at 0.3 g */
    double understeer_rad; /* front wheel angle less that of the path, per m/s2, at 0.2 g */
    double rear_slip_rad;  /* of the rear axle, per m/s2 */
    double roll_rad;       /* towards the outside, per m/s2 */
};

struct sine_result {
    double peak_radps; /* of the yaw rate after the reversal of steering */
    double after_100;  /* yaw rate 1.00 s after the end, as a share of it */
    double after_175;
    double aside_m;      /* at 1.07 s after begin of steer, towards the first turn */
    double sideslip_rad; /* largest */
    double speed_mps;    /* at the end of steer */
    double roll_rad;     /* the same */
    bool active;         /* ESP acted */
    uint32_t faults;
};

/* 13.5 deg/s at 80 km/h. */
struct sine_slow sine_slow_steer(struct ecu_car *c);

/* One sine of 0.7 Hz with 500 ms at its second peak from 80 km/h, coasting in that gear; amplitude
 * positive begins to the left. */
struct sine_result sine_run(struct ecu_car *c, double amplitude_rad, int gear);
/* The limits of the rule, and the car is on its wheels: on its roof it would pass them. The
 * displacement counts with `far`. */
bool sine_passes(const struct sine_result *r, bool far);

/* The largest amplitude: 6.5 A, at least 270 deg if that is more, at most 300 deg. */
double sine_last_rad(double A_rad);

#endif
