/* What others may know of this car. */
#include "target/model/lumped15/lumped15.h"

#include <string.h>

static double mean_toe_rad(const void *car, double rack_m)
{
    const struct kinematics_model *k = &((const struct lumped15_model *)car)->axle[FRONT].kin;
    struct kinematics_out left, right;
    kinematics_at(k, 0.0, rack_m, 1.0, &left);
    kinematics_at(k, 0.0, rack_m, -1.0, &right);
    return 0.5 * (left.f[KIN_TOE] + right.f[KIN_TOE]);
}

void lumped15_facts(const void *model, struct car_facts *f)
{
    const struct lumped15_model *m = model;
    memset(f, 0, sizeof *f);
    f->gravity_mps2 = m->gravity_mps2;
    f->total_kg = m->total_kg;
    f->sprung_kg = m->sprung_kg;
    f->yaw_kgm2 = m->inertia_kgm2[2];
    f->cg_m = m->cg_m;
    for (int i = 0; i < WHEELS; i++) {
        struct kinematics_out k;
        kinematics_at(&m->axle[i < RL ? FRONT : REAR].kin, 0.0, 0.0, i % 2 == 0 ? 1.0 : -1.0, &k);
        f->hub_m[i][0] = k.f[KIN_HUB_X];
        f->hub_m[i][1] = k.f[KIN_HUB_Y];
        f->hub_m[i][2] = k.f[KIN_HUB_Z];
        f->wheel_kgm2[i] = m->wheel_kgm2[i];
        f->inflation_Pa[i] = m->inflation_Pa[i];
    }
    f->pinion_mprad = m->steering.pinion_mprad;
    steering_inverse_fit(&f->steering, mean_toe_rad, m, 0.97 * m->steering.rack_stop_m,
                         m->steering.pinion_mprad);
    f->tyres = &m->tyres;
    f->driveline = &m->driveline;
    f->brake = &m->brake;
    f->hydraulics = &m->hydraulics;
    f->aero = &m->aero;
    f->hull = &m->hull;
    f->integrator = m->integrator;
    f->substeps = m->substeps;
}
