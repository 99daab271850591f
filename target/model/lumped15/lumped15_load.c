#include "target/model/lumped15/lumped15_load.h"

#include "target/model/chassis_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sprung body in the mass matrix: its mass at its centre of gravity and its inertia, (M-7). */
static void body_matrix(struct lumped15_model *m)
{
    struct vec3 r = m->sprung_cg_m, mr = v3_scale(m->sprung_kg, r);
    const double *I = m->inertia_kgm2;
    double *L = m->body_mass;
    memset(L, 0, sizeof m->body_mass);
    L[0] = L[2] = L[5] = m->sprung_kg;
    L[7] = -mr.z;
    L[8] = mr.y;
    L[9] = mr.y * r.y + mr.z * r.z + I[0];
    L[10] = mr.z;
    L[12] = -mr.x;
    L[13] = I[3] - mr.x * r.y;
    L[14] = mr.x * r.x + mr.z * r.z + I[1];
    L[15] = -mr.y;
    L[16] = mr.x;
    L[18] = I[4] - mr.x * r.z;
    L[19] = I[5] - mr.y * r.z;
    L[20] = mr.x * r.x + mr.y * r.y + I[2];
}

/* All of it: this model leaves nothing out. */
static void take(const struct chassis *c, struct lumped15_model *m)
{
    m->gravity_mps2 = c->gravity_mps2;
    m->sprung_kg = c->sprung_kg;
    m->sprung_cg_m = c->sprung_cg_m;
    memcpy(m->inertia_kgm2, c->inertia_kgm2, sizeof m->inertia_kgm2);
    memcpy(m->axle, c->axle, sizeof m->axle);
    memcpy(m->unsprung_kg, c->unsprung_kg, sizeof m->unsprung_kg);
    memcpy(m->wheel_kgm2, c->wheel_kgm2, sizeof m->wheel_kgm2);
    memcpy(m->bar_Npm, c->bar_Npm, sizeof m->bar_Npm);
    m->tyres = c->tyres;
    memcpy(m->weather_tyres, c->weather_tyres, sizeof m->weather_tyres);
    m->weathers = c->weathers;
    memcpy(m->inflation_Pa, c->inflation_Pa, sizeof m->inflation_Pa);
    m->contact = c->contact;
    m->brake = c->brake;
    m->hydraulics = c->hydraulics;
    m->driveline = c->driveline;
    m->steering = c->steering;
    m->aero = c->aero;
    m->hull = c->hull;
    m->slip = c->slip;
    m->integrator = c->integrator;
    m->total_kg = c->total_kg;
    m->cg_m = c->cg_m;
}

int lumped15_load(const struct cfg_node *root, const struct setup *setup, struct lumped15_model *m)
{
    struct chassis *c = chassis_load(root, setup);
    memset(m, 0, sizeof *m);
    if (!c)
        return -ENOMEM;
    m->substeps = 1;
    take(c, m);
    body_matrix(m);
    free(c);
    return 0;
}
