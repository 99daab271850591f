#include "target/model/footing.h"

#include <string.h>

static void tyres_of(const struct car_facts *car, struct footing *f)
{
    struct tyre_in in;
    struct tyre_out out;
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = f->load_N[i];
        in.vx_mps[i] = 15.0;
        in.pressure_Pa[i] = car->inflation_Pa[i];
        in.friction[i] = 1.0;
    }
    tyre_forces(car->tyres, &in, &out);
    for (int i = 0; i < WHEELS; i++) {
        int k = i < RL ? FRONT : REAR;
        f->stiff_N[k] += out.stiff_y_N[i];
        f->peak_y_N[k] += out.peak_y_N[i];
        f->peak_x_N[k] += out.peak_x_N[i];
    }
}

void footing_of(const struct car_facts *car, struct footing *f)
{
    const double still[WHEELS] = {0.0, 0.0, 0.0, 0.0};
    memset(f, 0, sizeof *f);
    f->front_m = car->hub_m[FL][0] - car->cg_m.x;
    f->rear_m = car->cg_m.x - car->hub_m[RL][0];
    double weight_N = car->total_kg * car->gravity_mps2, base_m = f->front_m + f->rear_m;
    f->load_N[FL] = f->load_N[FR] = 0.5 * weight_N * f->rear_m / base_m;
    f->load_N[RL] = f->load_N[RR] = 0.5 * weight_N * f->front_m / base_m;
    tyre_rolling_radius(car->tyres, f->load_N, still, car->inflation_Pa, f->radius_m);
    for (int i = 0; i < WHEELS; i++)
        f->brake_N += car->brake->gain_NmpPa[i] * car->brake->pedal_Pa / f->radius_m[i];
    tyres_of(car, f);
    f->understeer_s2pm =
        car->total_kg / base_m * (f->rear_m / f->stiff_N[FRONT] - f->front_m / f->stiff_N[REAR]);
}
