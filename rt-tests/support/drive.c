#include "rt-tests/support/drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void drive_open(struct drive *d, const struct lumped15_model *m, double friction, double speed_mps,
                int32_t gear)
{
    struct plant_start start = {.speed_mps = speed_mps, .gear = gear};
    memset(d, 0, sizeof *d);
    d->m = m;
    plane_defaults(&d->road);
    d->road.friction_left = d->road.friction_right = friction;
    d->ground = plane_ground(&d->road);
    d->in.gear = gear;
    d->in.brake = PLANT_BRAKE_PRESSURES;
    lumped15_reset(m, &d->s, &start, &d->ground);
    lumped15_ops.output(m, &d->s, &d->rest);
    d->o = d->rest;
}

void drive_step(struct drive *d)
{
    lumped15_step(d->m, &d->s, &d->in, &d->ground, 1e-3);
    lumped15_ops.output(d->m, &d->s, &d->o);
    assert_int_equal(d->o.fault, 0);
}

void drive_for(struct drive *d, double time_s)
{
    for (int n = 0; n * 1e-3 < time_s - 1e-9; n++)
        lumped15_step(d->m, &d->s, &d->in, &d->ground, 1e-3);
    lumped15_ops.output(d->m, &d->s, &d->o);
    assert_int_equal(d->o.fault, 0);
}

void drive_turn(struct drive *d, double hand_rad, double wait_s)
{
    double from = d->s.hand_rad;
    for (int n = 1; n <= 1000; n++) {
        d->in.hand_wheel_rad = from + (hand_rad - from) * n * 1e-3;
        drive_step(d);
    }
    drive_for(d, wait_s);
}

struct beam beam_of(const struct lumped15_model *m)
{
    struct beam b = {.kg = m->sprung_kg};
    struct kinematics_out k[AXLES];
    double x = m->sprung_kg * m->sprung_cg_m.x, z = m->sprung_kg * m->sprung_cg_m.z;
    for (int a = 0; a < AXLES; a++) {
        double both_kg = 2.0 * m->unsprung_kg[a == FRONT ? FL : RL];
        kinematics_at(&m->axle[a].kin, 0.0, 0.0, 1.0, &k[a]);
        b.kg += both_kg;
        x += both_kg * k[a].f[KIN_HUB_X];
        z += both_kg * k[a].f[KIN_HUB_Z];
        b.hub_z_m[a] = k[a].f[KIN_HUB_Z];
        b.track_m[a] = 2.0 * k[a].f[KIN_HUB_Y];
    }
    b.weight_N = b.kg * m->gravity_mps2;
    b.front_m = k[FRONT].f[KIN_HUB_X] - x / b.kg;
    b.rear_m = x / b.kg - k[REAR].f[KIN_HUB_X];
    b.length_m = b.front_m + b.rear_m;
    b.height_m = z / b.kg;
    return b;
}

double beam_load_N(const struct beam *b, int wheel, double decel_g)
{
    double moved_m = b->height_m * decel_g;
    double arm_m = wheel < RL ? b->rear_m + moved_m : b->front_m - moved_m;
    return 0.5 * b->weight_N * arm_m / b->length_m;
}

double tyre_deflection_m(const struct lumped15_model *m, int wheel, double load_N,
                         double spin_radps)
{
    double low = 0.0, high = 0.1, still[WHEELS] = {0.0};
    double spin[WHEELS] = {spin_radps, spin_radps, spin_radps, spin_radps};
    for (int n = 0; n < 60; n++) {
        double x[WHEELS], load[WHEELS], unused[WHEELS], unused2[WHEELS];
        x[FL] = x[FR] = x[RL] = x[RR] = 0.5 * (low + high);
        tyre_load(&m->tyres, x, still, spin, m->inflation_Pa, load, unused, unused2);
        if (load[wheel] < load_N)
            low = x[wheel];
        else
            high = x[wheel];
    }
    return low;
}
