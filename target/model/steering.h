/* Hand wheel, column, rack: the forces on the rack and what the driver feels. */
#ifndef SKIDPAD_MODEL_STEERING_H
#define SKIDPAD_MODEL_STEERING_H

#include "target/model/math/table1.h"

struct steering_model {
    double pinion_mprad;  /* rack displacement per hand wheel angle; the sign is the table's */
    double column_Nmprad; /* torsion of column and torsion bar */
    double column_Nmsprad;
    double hand_inertia_kgm2; /* hand wheel and upper column: the coordinate of torque input */
    double hand_friction_Nm;
    double rack_kg; /* rack, and the wheels' steering inertia reduced to it */
    double rack_Nspm;
    double rack_friction_N;
    double rack_stop_m; /* end of travel either way */
    double rack_stop_Npm;
    double assist_low_mps, assist_high_mps; /* full below, faded to assist_high above */
    double assist_high;                     /* factor that is left at high speed */
    struct table1 assist_N; /* force on the rack over torsion bar torque >= 0; odd */
};

struct steering_now {
    double force_N;      /* on the rack, friction and damping at the rack's speed included */
    double damping_Nspm; /* -d force / d rack speed */
    double column_Nm;    /* torque in the column: what the driver feels */
};

/* rack and hand wheel as they are; speed of the car for the assist. */
void steering_forces(const struct steering_model *m, double rack_m, double rack_mps,
                     double hand_rad, double hand_radps, double speed_mps,
                     struct steering_now *now);

/* The same for a rack that stands still, and -d force / d rack, >= 0: for steps that are implicit
 * in it. */
void steering_forces_held(const struct steering_model *m, double rack_m, double hand_rad,
                          double hand_radps, double speed_mps, struct steering_now *now,
                          double *stiffness_Npm);

/* Torque input: acceleration of the hand wheel over a step, dry friction included, (L-4). */
double steering_hand_acc(const struct steering_model *m, double hand_radps, double driver_Nm,
                         double column_Nm, double dt_s);

#endif
