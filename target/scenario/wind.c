#include "target/scenario/wind.h"

#include "target/model/math/random.h"
#include "target/model/math/vecmath.h"

#include <math.h> /* sqrt only */

#define TWO_PI 6.283185307179586476925

void wind_defaults(struct wind_model *m)
{
    *m = (struct wind_model){.towards = {1.0, 0.0}, .turbulence_s = 1.0, .seed = 1};
}

void wind_reset(const struct wind_model *m, struct wind_state *s)
{
    *s = (struct wind_state){0};
    for (int i = 0; i < 3; i++) {
        s->random[i] = random_stream(m->seed, (uint64_t)i);
        /* Turbulence has been blowing before the run: it starts anywhere in its distribution. */
        if (m->sigma_mps[i] > 0.0)
            s->turbulence_mps[i] = m->sigma_mps[i] * random_gauss(&s->random[i]);
    }
}

/* 0..1 of the peak, (W-2). */
static double gust_share(const struct wind_gust *g, double time_s)
{
    double t = time_s - g->start_s;
    if (!(t > 0.0) || t >= g->duration_s + g->hold_s)
        return 0.0;
    if (t > 0.5 * g->duration_s) {
        t -= g->hold_s;
        if (t < 0.5 * g->duration_s)
            return 1.0;
    }
    return 0.5 * (1.0 - vm_cos(TWO_PI * t / g->duration_s));
}

/* (W-3), solved exactly over the step: the variance does not depend on the step. */
static void turbulence_step(const struct wind_model *m, struct wind_state *s, double dt_s)
{
    double keep = vm_exp(-dt_s / m->turbulence_s);
    double renew = sqrt(1.0 - keep * keep);
    for (int i = 0; i < 3; i++) {
        if (m->sigma_mps[i] > 0.0)
            s->turbulence_mps[i] =
                keep * s->turbulence_mps[i] + renew * m->sigma_mps[i] * random_gauss(&s->random[i]);
    }
}

void wind_step(const struct wind_model *m, struct wind_state *s, double dt_s, double wind_mps[3])
{
    double along_mps = m->mean_mps + s->turbulence_mps[0];
    double left_mps = s->turbulence_mps[1];
    wind_mps[0] = along_mps * m->towards[0] - left_mps * m->towards[1];
    wind_mps[1] = along_mps * m->towards[1] + left_mps * m->towards[0];
    wind_mps[2] = s->turbulence_mps[2];
    for (int i = 0; i < m->gusts; i++) {
        double share = gust_share(&m->gust[i], s->time_s);
        wind_mps[0] += share * m->gust[i].peak_mps[0];
        wind_mps[1] += share * m->gust[i].peak_mps[1];
    }
    s->time_s += dt_s;
    if (m->sigma_mps[0] > 0.0 || m->sigma_mps[1] > 0.0 || m->sigma_mps[2] > 0.0)
        turbulence_step(m, s, dt_s);
}
