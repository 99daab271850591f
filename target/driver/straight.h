/* A driver who keeps the car on the straight line it starts on: steering only, for straight stops
 * on uneven friction. docs/scenario-file.md.
 *
 *   hand wheel wanted = -(heading * psi + offset * y + damping * psi_dot)
 *
 * psi, y and psi_dot are heading, distance and yaw rate against the line; a lag and a limited rate
 * stand for the arms. Pure. */
#ifndef SKIDPAD_DRIVER_STRAIGHT_H
#define SKIDPAD_DRIVER_STRAIGHT_H

#include "target/model/plant.h"

struct straight_model {
    double heading;           /* rad of hand wheel per rad of heading */
    double offset_radpm;      /* per metre beside the line */
    double damping_s;         /* per rad/s of yaw rate */
    double lag_s;             /* of the arms */
    double rate_radps;        /* most they turn the wheel */
    double most_rad;          /* and how far */
    double x_m, y_m, yaw_rad; /* the line */
    int32_t on, reserved;     /* 0: nobody steers */
};

struct straight_state {
    double hand_wheel_rad;
};

void straight_defaults(struct straight_model *m);
/* The hand wheel at the end of a step of dt_s, from what the car did up to its beginning. */
double straight_step(const struct straight_model *m, struct straight_state *s,
                     const struct plant_out *now, double dt_s);

#endif
