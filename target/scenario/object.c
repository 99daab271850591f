#include "target/scenario/object.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <string.h>

void object_defaults(struct object_model *m)
{
    memset(m, 0, sizeof *m);
    m->brake_s = 1e9;
    m->range_m = 160.0;
    m->view_rad = 0.35;
    m->front_m = 2.0;
}

double object_way_m(const struct object_model *m, double time_s, double *speed_mps)
{
    double braked_s = at_least(time_s - m->brake_s, 0.0), free_s = time_s - braked_s;
    if (m->brake_mps2 > 0.0)
        braked_s = at_most(braked_s, m->speed_mps / m->brake_mps2);
    *speed_mps = m->speed_mps - m->brake_mps2 * braked_s;
    return m->speed_mps * (free_s + braked_s) - 0.5 * m->brake_mps2 * braked_s * braked_s;
}

void object_sense(const struct object_model *m, const struct plant_out *car,
                  struct sensors_out *out)
{
    out->object_seen = 0;
    out->object_m = out->object_mps = out->object_left_m = 0.0;
    if (!m->present)
        return;
    double speed_mps, sine, cosine, sine0, cosine0;
    double along_m = m->ahead_m + object_way_m(m, car->time_s, &speed_mps);
    vm_sincos(m->yaw_rad, &sine0, &cosine0);
    vm_sincos(car->yaw_rad, &sine, &cosine);
    double dx = m->x_m + along_m * cosine0 - m->left_m * sine0 - car->pos_m[0];
    double dy = m->y_m + along_m * sine0 + m->left_m * cosine0 - car->pos_m[1];
    double ahead_m = dx * cosine + dy * sine, left_m = dy * cosine - dx * sine;
    double own_mps = car->vel_mps[0];
    double object_mps = speed_mps * (cosine0 * cosine + sine0 * sine);
    out->object_m = ahead_m - m->front_m;
    out->object_left_m = left_m;
    out->object_mps = object_mps - own_mps;
    double aside = left_m < 0.0 ? -left_m : left_m;
    /* The angle of view as a slope: it is narrow. */
    out->object_seen =
        ahead_m > m->front_m - 1.0 && ahead_m < m->range_m && aside < m->view_rad * ahead_m + 1.0;
}
