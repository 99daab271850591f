/* From the angle of the front wheels to the hand wheel: the inverse of the steering kinematics,
 * docs/driver.md (D-6). */
#ifndef SKIDPAD_DRIVER_HANDS_H
#define SKIDPAD_DRIVER_HANDS_H

#include "target/model/lumped15/lumped15.h"

enum { HANDS_POINTS = 65 };

/* Const once hands_init() has run. */
struct hands {
    double steer_max_rad;
    double hand_rad[HANDS_POINTS]; /* for mean angles of the front wheels from -steer_max to it */
};

void hands_init(struct hands *h, const struct lumped15_model *car);
/* The hand wheel for a mean angle of the front wheels, no twist in the column. */
double hands_of(const struct hands *h, double steer_rad);

/* Linear in a table of equal steps over u = 0..1. */
double hands_look_up(const double *table, int count, double u);

#endif
