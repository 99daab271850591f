/* Distance assist: warns of an object ahead, brakes partly, then fully, as the time left to react
 * runs out. Only for objects in the car's own path. */
#ifndef SKIDPAD_ECU_DISTANCE_H
#define SKIDPAD_ECU_DISTANCE_H

#include "target/ecu/car.h"

enum distance_stage { DISTANCE_OFF, DISTANCE_WARN, DISTANCE_PARTIAL, DISTANCE_FULL };

struct distance_params {
    double start_mps;               /* acts above this speed of the car */
    double closing_mps;             /* and of coming nearer */
    double warn_s;                  /* time to collision: a warning */
    double partial_s, partial_mps2; /* partial braking: from here, so much */
    double full_s;                  /* full braking */
    double full_mps2;               /* what the brakes can do: sooner if that is needed */
    double gap_m;                   /* distance that shall be left */
    double path_m;                  /* half the width of the path */
    double override;                /* accelerator pedal above which the driver decides */
    double seen_s;                  /* an object must be seen for so long */
};

struct distance_in {
    double speed_mps, yaw_radps;
    double object_m, object_mps, object_left_m; /* distance, its change, to the left */
    double accelerator;
    double build_s; /* the brakes need so long: the mean delay of full braking */
    int seen, works;
};

struct distance {
    double seen_s;
    uint32_t stage; /* enum distance_stage */
    uint32_t reserved;
};

/* Returns the deceleration asked for; 0: none. */
double distance_step(const struct distance_params *p, const struct distance_in *in,
                     struct distance *s);

/* What full braking asks for. */
double distance_full_mps2(const struct distance_params *p);

#endif
