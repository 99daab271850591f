#include "rt-tests/support/ecu_optimum.h"

#include "rt-tests/support/drive.h"

#include <math.h>
#include <string.h>

/* The greatest braking force of each wheel over all slips. */
static double peaks_N(const struct lumped15_model *m, const double load_N[WHEELS],
                      const double friction[WHEELS], double speed_mps)
{
    struct tyre_in in;
    struct tyre_out out;
    double most_N[WHEELS] = {0.0}, sum_N = 0.0;
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = load_N[i];
        in.friction[i] = friction[i];
        in.vx_mps[i] = speed_mps;
    }
    /* Slips of 0.2 % to 60 % in steps of 2 %: the flat top is met to 1e-4. */
    double slip = 0.002;
    for (int n = 0; n < 290; n++) {
        for (int i = 0; i < WHEELS; i++)
            in.kappa[i] = -slip;
        tyre_forces(&m->tyres, &in, &out);
        for (int i = 0; i < WHEELS; i++)
            most_N[i] = fmax(most_N[i], -out.fx_N[i]);
        slip *= 1.02;
    }
    for (int i = 0; i < WHEELS; i++)
        sum_N += most_N[i];
    return sum_N;
}

double optimum_mps2(const struct lumped15_model *m, double left, double right, double speed_mps)
{
    const double friction[WHEELS] = {left, right, left, right};
    struct beam b = beam_of(m);
    double load_N[WHEELS], force_N = 0.0;
    for (int n = 0; n < 12; n++) { /* load and force depend on each other */
        for (int i = 0; i < WHEELS; i++)
            load_N[i] = beam_load_N(&b, i, force_N / b.weight_N);
        force_N = peaks_N(m, load_N, friction, speed_mps);
    }
    double drag_N =
        0.5 * m->aero.air_density_kgpm3 * m->aero.area_m2 * m->aero.cd * speed_mps * speed_mps;
    return (force_N + drag_N) / b.kg;
}

double optimum_mean_mps2(const struct lumped15_model *m, double friction, double from_mps,
                         double to_mps)
{
    enum { PARTS = 8 };
    double part_mps = (from_mps - to_mps) / PARTS, time_s = 0.0;
    for (int n = 0; n < PARTS; n++)
        time_s += part_mps / optimum_mps2(m, friction, friction, to_mps + (n + 0.5) * part_mps);
    return (from_mps - to_mps) / time_s;
}
