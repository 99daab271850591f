/* From the angle of the front wheels to the hand wheel: the inverse of the steering kinematics,
 * docs/driver.md (D-6). */
#ifndef SKIDPAD_MODEL_STEERING_INVERSE_H
#define SKIDPAD_MODEL_STEERING_INVERSE_H

enum { STEERING_INVERSE_POINTS = 65 };

/* Const once steering_inverse_fit() has run. */
struct steering_inverse {
    double steer_max_rad;
    /* for mean angles of the front wheels from -steer_max to it */
    double hand_rad[STEERING_INVERSE_POINTS];
};

/* mean_rad gives the mean angle of the front wheels for a place of the rack, up to stop_m either
 * way. */
void steering_inverse_fit(struct steering_inverse *s,
                          double (*mean_rad)(const void *car, double rack_m), const void *car,
                          double stop_m, double pinion_mprad);
/* The hand wheel for a mean angle of the front wheels, no twist in the column. */
double steering_inverse_at(const struct steering_inverse *s, double steer_rad);

#endif
