/* The simplest road: a flat or inclined plane through the world's origin, with one friction value
 * or one on each side of a line along x. */
#ifndef SKIDPAD_ROAD_PLANE_H
#define SKIDPAD_ROAD_PLANE_H

#include "target/model/ground.h"

/* Const once plane_incline() has run. */
struct plane {
    double slope;         /* rise over run along +x; > 0 is uphill */
    double bank;          /* rise over run along +y; > 0 raises the left side */
    double normal[3];     /* made by plane_incline() */
    double friction_left; /* where y >= boundary_y_m */
    double friction_right;
    double boundary_y_m;
    int32_t weather; /* enum ground_weather; its share is in the friction */
    int32_t reserved;
};

/* Level, friction 1. */
void plane_defaults(struct plane *p);

void plane_incline(struct plane *p, double slope, double bank);

/* The plane as a ground; p must outlive it. */
struct ground plane_ground(const struct plane *p);

#endif
