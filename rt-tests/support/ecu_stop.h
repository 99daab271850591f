/* Full braking of a car with or without its unit, and what came of it. */
#ifndef SKIDPAD_TESTS_ECU_STOP_H
#define SKIDPAD_TESTS_ECU_STOP_H

#include "rt-tests/support/ecu_car.h"

#define KMH(x) ((x) / 3.6)

struct stop_plan {
    double from_mps;           /* speed when the brake pedal goes down, after 0.5 s */
    double pedal;              /* 0..1, reached within 0.1 s */
    double fast_mps, slow_mps; /* mean deceleration is taken between these */
    double end_mps;            /* the run ends below */
    double limit_s;            /* or after this time */
    bool steered;              /* a driver keeps the car in its lane */
};

struct stop_result {
    double mean_mps2;        /* between fast and slow */
    double way_m;            /* between them */
    double locked_s[WHEELS]; /* longest lock of each wheel above 15 km/h */
    double hand_early_rad;   /* largest hand wheel angle in the first 2 s of braking */
    double hand_rad;         /* in all */
    double yaw_rate_radps, yaw_rad, side_m; /* largest */
    double time_s;
    bool stopped; /* end_mps was reached */
    bool worked;  /* ABS acted */
    uint32_t faults;
};

/* 100 to 0 km/h, mean from 80 to 15 km/h, neutral, pedal 80 %. */
struct stop_plan stop_plan(void);
/* The car must stand at its start: ecu_car_reset() with plan->from_mps. */
struct stop_result stop_run(struct ecu_car *c, const struct stop_plan *plan);

/* Steering that holds the line y = 0: angle by lateral and yaw error, as fast as hands are. */
double stop_steer_rad(const struct ecu_car *c, double hand_rad);

#endif
