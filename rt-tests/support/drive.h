/* A car driven step by step on a level road, for tests. */
#ifndef SKIDPAD_TESTS_DRIVE_H
#define SKIDPAD_TESTS_DRIVE_H

#include "target/model/lumped15/lumped15.h"
#include "target/road/plane.h"

struct drive {
    const struct lumped15_model *m;
    struct plane road; /* level; its friction may be changed at any time */
    struct ground ground;
    struct lumped15_state s;
    struct plant_in in;
    struct plant_out rest, o; /* at the start; after the last step */
};

/* The car rolls straight on; in.gear is the gear, wheel pressures act, and are zero. The struct
 * must stay where it is. */
void drive_open(struct drive *d, const struct lumped15_model *m, double friction, double speed_mps,
                int32_t gear);

/* One step of 1 ms; fails the test on a fault. */
void drive_step(struct drive *d);
void drive_for(struct drive *d, double time_s);
/* Turns the hand wheel to an angle within a second and waits. */
void drive_turn(struct drive *d, double hand_rad, double wait_s);

/* A car as a beam on two axles, from the masses and places of its file. */
struct beam {
    double kg, weight_N;
    double front_m, rear_m, length_m; /* centre of gravity to the axles; both */
    double height_m;                  /* over the body's origin */
    double hub_z_m[AXLES], track_m[AXLES];
};
struct beam beam_of(const struct lumped15_model *m);
/* Load of a wheel while the car slows down by so many g. */
double beam_load_N(const struct beam *b, int wheel, double decel_g);

/* Deflection of a wheel's tyre under a load at a spin: its load turned round by halving. */
double tyre_deflection_m(const struct lumped15_model *m, int wheel, double load_N,
                         double spin_radps);

#endif
