/* The position controller of Chucholowski, Voegel, von Stryk and Wolter: docs/driver.md (D-1) to
 * (D-8).
 *
 * A set point travels along the path. A nonlinear control law, found by decoupling the single-track
 * model, says which lateral force of the front axle and which longitudinal force bring the centre
 * of gravity there; these are turned into steering angle and pedals. It knows what a person does
 * not: tyre forces, friction, sideslip. Because the front wheels are turned from the direction in
 * which they move, it counter-steers in a skid without being told. */
#ifndef SKIDPAD_DRIVER_POSITION_H
#define SKIDPAD_DRIVER_POSITION_H

#include "target/driver/shift.h"
#include "target/model/car_facts.h"
#include "target/road/path.h"

#include <assert.h>

enum { POSITION_SLIP = 41 };

/* What a file may set. */
struct position_settings {
    double lateral_radps;    /* natural frequency of the error across the path */
    double lateral_damping;  /* its damping ratio */
    double along_1ps;        /* rate at which an error along the path and in speed dies */
    double lead_s;           /* curvature is taken so far ahead: steering and tyres take time */
    double leash_m;          /* the set point is never farther from the car, along the path */
    double hand_wheel_radps; /* no faster */
    double grip;             /* at most this share of the front axle's grip is asked for */
    double pedal_1ps;        /* pedals move no faster */
    int32_t gear;            /* keeps this one; 0: shifts */
    int32_t reserved;
};

/* Const once position_init() has run. */
struct position_model {
    struct position_settings set;
    const struct path *path;
    const struct car_facts *car;
    double front_m, rear_m; /* centre of gravity to the axles */
    double brake_N;         /* braking force of a full pedal */
    double radius_m;        /* rolling, of the driven wheels */
    /* Front axle: lateral force over its peak -> slip over (peak / stiffness). */
    double stiff_1prad; /* cornering stiffness over load */
    double peak;        /* lateral friction */
    double slip[POSITION_SLIP];
};

struct position_state {
    double set_m;           /* arc length of the set point */
    double hand_rad;        /* asked for in the last step */
    double twist_rad;       /* hand wheel against what its wheels' angle says, slow */
    double disturb_N[2];    /* forces beyond the tyres', forward and left, slow */
    double throttle, brake; /* pedals of the last step */
    struct shift_state shift;
    double offset_m; /* of the car from the path, to the left; for results */
    double along_m;  /* arc length of the foot; for results */
    int32_t set_piece, car_piece;
    int32_t is_started;
    int32_t reserved;
};
static_assert(sizeof(struct position_state) == 11 * 8 + 4 * 4, "padding");

void position_defaults(struct position_settings *s);

/* Derives what the control law needs from the car at rest. car and path must outlive it. */
void position_init(struct position_model *m, const struct position_settings *set,
                   const struct car_facts *car, const struct path *path);

void position_reset(const struct position_model *m, struct position_state *s);

/* Hand wheel, pedals, clutch and gear of the next step from what the car does now. Wind, pressures
 * and torques of *in are left alone. */
void position_step(const struct position_model *m, struct position_state *s,
                   const struct plant_out *now, double dt_s, struct plant_in *in);

#endif
