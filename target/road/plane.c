#include "target/road/plane.h"

#include <math.h> /* sqrt only */

void plane_defaults(struct plane *p)
{
    *p = (struct plane){.friction_left = 1.0, .friction_right = 1.0};
    plane_incline(p, 0.0, 0.0);
}

void plane_incline(struct plane *p, double slope, double bank)
{
    double k = 1.0 / sqrt(1.0 + slope * slope + bank * bank);
    p->slope = slope;
    p->bank = bank;
    p->normal[0] = -slope * k;
    p->normal[1] = -bank * k;
    p->normal[2] = k;
}

static void query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct plane *p = road;
    out->z_m = p->slope * x_m + p->bank * y_m;
    for (int k = 0; k < 3; k++)
        out->normal[k] = p->normal[k];
    out->weather = p->weather;
    out->reserved = 0;
    out->friction = y_m >= p->boundary_y_m ? p->friction_left : p->friction_right;
}

struct ground plane_ground(const struct plane *p)
{
    return (struct ground){p, query};
}
