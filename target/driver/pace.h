/* How fast a car can follow a path: from its grip, engine, brakes and air forces, and the ground
 * under the path. docs/driver.md (D-17) to (D-20). For set-up, not for the step. */
#ifndef SKIDPAD_DRIVER_PACE_H
#define SKIDPAD_DRIVER_PACE_H

#include "target/model/car_facts.h"
#include "target/road/path.h"

enum { PACE_SPEEDS = 101 };

/* Const once pace_of() has run. */
struct pace {
    double mass_kg, gravity_mps2;
    double friction_x, friction_y;  /* of the axle that has less, friction of the ground 1 */
    double down_Nm2ps2;             /* more load by the air, per speed squared */
    double drag_Nm2ps2, rolling_N;  /* what hinders */
    double share[AXLES], height;    /* of the load at rest; height over wheelbase */
    double driven[AXLES];           /* share of the driving force */
    double braked[AXLES];           /* share of the braking force */
    double brake_N;                 /* a full pedal's */
    double per_mps;                 /* grid of the next two: speed of i is i / per_mps */
    double drive_N[PACE_SPEEDS];    /* full throttle in the best gear */
    double turning_kg[PACE_SPEEDS]; /* what turns in it, as mass */
};

void pace_of(struct pace *p, const struct car_facts *car, double top_mps);

/* Where a path is: as much as the pace knows of it. */
struct pace_place {
    double curvature_1pm; /* left positive */
    double friction;      /* share of it that is used included */
    double fall, lean;    /* slope: downhill positive; to the left positive */
};

/* Square of the speed at which all grip goes into the turn; 1e6 if none is too fast. */
double pace_turn2(const struct pace *p, const struct pace_place *at);
/* Acceleration and deceleration that are left at a speed. */
double pace_drive_mps2(const struct pace *p, const struct pace_place *at, double speed2_m2ps2);
double pace_brake_mps2(const struct pace *p, const struct pace_place *at, double speed2_m2ps2);

/* Fills the speeds of a path that was loaded with `limits: {grip: ...}`; leaves others alone. */
void pace_plan(const struct pace *p, const struct ground *ground, struct path *path);

#endif
