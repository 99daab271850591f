/* What others may know of this car. */
#include "target/model/two_track/kernel_contact.h"

#include <string.h>

static double mean_toe_rad(const void *car, double rack_m)
{
    const struct two_track_model *m = car;
    struct two_track_state s = {.rack_m = rack_m};
    struct work w;
    w.roll_rad = w.lean_m[FRONT] = w.lean_m[REAR] = w.dive_m[FRONT] = w.dive_m[REAR] = 0.0;
    contact_corners(m, &s, &w);
    return 0.5 * (w.toe_rad[FL] + w.toe_rad[FR]);
}

void two_track_facts(const void *model, struct car_facts *f)
{
    const struct two_track_model *m = model;
    memset(f, 0, sizeof *f);
    f->gravity_mps2 = m->gravity_mps2;
    f->total_kg = m->total_kg;
    f->sprung_kg = m->sprung_kg;
    f->yaw_kgm2 = m->body_yaw_kgm2;
    f->cg_m = m->cg_m;
    memcpy(f->hub_m, m->hub_m, sizeof f->hub_m);
    memcpy(f->wheel_kgm2, m->wheel_kgm2, sizeof f->wheel_kgm2);
    memcpy(f->inflation_Pa, m->inflation_Pa, sizeof f->inflation_Pa);
    f->pinion_mprad = m->steering.pinion_mprad;
    steering_inverse_fit(&f->steering, mean_toe_rad, m, 0.97 * m->steering.rack_stop_m,
                         m->steering.pinion_mprad);
    f->tyres = &m->tyres;
    f->driveline = &m->driveline;
    f->brake = &m->brake;
    f->hydraulics = &m->hydraulics;
    f->aero = &m->aero;
    f->hull = &m->hull;
    f->integrator = MODEL_SEMI_IMPLICIT;
    f->substeps = 1;
}
