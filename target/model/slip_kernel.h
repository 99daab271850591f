/* Tyre deflections, lagged slips and the tyres of the weather, for the instruction set of the
 * includer. Private to the models. docs/model.md (C-6) to (C-9) */
#ifndef SKIDPAD_MODEL_SLIP_KERNEL_H
#define SKIDPAD_MODEL_SLIP_KERNEL_H

#include "target/model/ground.h"
#include "target/model/math/v4.h"
#include "target/model/slip.h"
#include "target/model/tyre/tyre_grip.h"

#include <stdbool.h>

/* At a crawl the slip is this share larger than deflection over relaxation length, so that the
 * force is elastic in the deflection up to its peak, (C-8). */
#define SLIP_STRETCH 1.5
/* Guards of divisions, far below any real tyre. */
#define SLIP_RELAX_MIN_M 1e-3
#define SLIP_CAP_MIN_M   1e-7
#define SLIP_FREE        1e-6

struct slip_now {
    v4 vx_mps, vsx_mps, vsy_mps; /* of the wheels; of the contact against the ground */
    v4 rolling_m;                /* effective rolling radius */
    /* slip_lag() */
    v4 relax_x_m, relax_y_m;   /* relaxation lengths */
    v4 cap_x_m, cap_y_m;       /* deflections under the peak force */
    v4 crawl, caps;            /* 1 at standstill .. 0; so many caps a deflection may reach */
    v4 leak_x_1ps, leak_y_1ps; /* decay rates of the deflections */
};

/* (C-7): rolling renews the contact. At a crawl it does not, and a deflection cannot exceed that of
 * the peak force; from crawl_mps on nothing holds it back. */
V4_INLINE void slip_lag(const struct slip_model *m, const struct tyre_grip *t, double step_s,
                        double leak_max_1ps, struct slip_now *w)
{
    v4 speed = v4_abs(w->vx_mps), most = v4_all(leak_max_1ps);
    v4 floor_m = v4_max(speed * step_s, v4_all(SLIP_RELAX_MIN_M));
    w->relax_x_m = v4_max(v4_load(t->relax_x_m), floor_m);
    w->relax_y_m = v4_max(v4_load(t->relax_y_m), floor_m);
    w->cap_x_m =
        w->relax_x_m * v4_load(t->peak_x_N) / (v4_load(t->stiff_x_N) + 1.0) + SLIP_CAP_MIN_M;
    w->cap_y_m =
        w->relax_y_m * v4_load(t->peak_y_N) / (v4_load(t->stiff_y_N) + 1.0) + SLIP_CAP_MIN_M;
    w->crawl = v4_max(1.0 - speed * (1.0 / m->crawl_mps), v4_all(0.0));
    v4 crawl2 = w->crawl * w->crawl;
    w->caps = 1.0 / (crawl2 * crawl2 + SLIP_FREE);
    /* An explicit step may take a deflection to zero, not beyond. */
    w->leak_x_1ps = v4_min(speed / w->relax_x_m, most);
    w->leak_y_1ps = v4_min(speed / w->relax_y_m, most);
}

/* (C-7): brings deflections back to the cap, along their direction: the contact slides. Returns
 * how far they are from zero to the cap of standstill, squared. */
V4_INLINE v4 slip_slide(const struct slip_now *w, v4 *ux, v4 *uy)
{
    v4 nx = *ux / w->cap_x_m, ny = *uy / w->cap_y_m, n2 = nx * nx + ny * ny;
    v4 most2 = w->caps * w->caps;
    v4 scale = v4_pick(n2 > most2, w->caps / v4_sqrt(v4_max(n2, most2)), v4_all(1.0));
    *ux *= scale;
    *uy *= scale;
    return n2;
}

/* (C-8), (C-9): slips that make the force: deflections at the end of the implicit step (or now),
 * with carcass damping at a crawl. Returns d kappa / d spin. */
V4_INLINE v4 slip_of(const struct slip_model *m, const double slip_x_m[WHEELS],
                     const double slip_y_m[WHEELS], double implicit_s, const struct slip_now *w,
                     struct tyre_in *in)
{
    v4 x = v4_min(v4_abs(w->vx_mps) * (1.0 / m->crawl_mps), v4_all(1.0));
    v4 rest = 1.0 - x * x, blend = rest * rest, one = v4_all(1.0);
    v4 damp_x = blend * m->damping_spm[0], damp_y = blend * m->damping_spm[1];
    v4 keep_x = 1.0 / (1.0 + implicit_s * w->leak_x_1ps);
    v4 keep_y = 1.0 / (1.0 + implicit_s * w->leak_y_1ps);
    v4 ux = keep_x * (v4_load(slip_x_m) - implicit_s * w->vsx_mps);
    v4 uy = keep_y * (v4_load(slip_y_m) - implicit_s * w->vsy_mps);
    v4 n2 = slip_slide(w, &ux, &uy), held = v4_min(n2, one);
    v4 stretch = SLIP_STRETCH * w->crawl * held * held;
    v4_store(in->kappa, ux * (1.0 + stretch) / w->relax_x_m - damp_x * w->vsx_mps);
    v4_store(in->tan_alpha, damp_y * w->vsy_mps - uy * (1.0 + stretch) / w->relax_y_m);
    /* A contact that slides does not answer a change of spin by more deflection. */
    v4 steeper = (1.0 + 5.0 * stretch) / w->relax_x_m;
    steeper = v4_pick(n2 > w->caps * w->caps, v4_all(0.0), steeper);
    return w->rolling_m * (implicit_s * keep_x * steeper + damp_x);
}

/* Tyre deflections, (C-6): explicit with the slip at the start, or implicit with the new spin. */
V4_INLINE void slip_advance(const struct slip_now *w, v4 new_radps, double implicit_s, double dt_s,
                            double slip_x_m[WHEELS], double slip_y_m[WHEELS])
{
    v4 ux = v4_load(slip_x_m), uy = v4_load(slip_y_m);
    if (implicit_s > 0.0) {
        v4 vsx = w->vx_mps - w->rolling_m * new_radps;
        ux = (ux - dt_s * vsx) / (1.0 + dt_s * w->leak_x_1ps);
        uy = (uy - dt_s * w->vsy_mps) / (1.0 + dt_s * w->leak_y_1ps);
    } else {
        ux -= dt_s * (w->vsx_mps + w->leak_x_1ps * ux);
        uy -= dt_s * (w->vsy_mps + w->leak_y_1ps * uy);
    }
    (void)slip_slide(w, &ux, &uy);
    v4_store(slip_x_m, ux);
    v4_store(slip_y_m, uy);
}

/* The parameters each wheel's forces are made with, and the friction these scale by: in the
 * ground's, out that of the tyre. A set that belongs to the weather knows its friction. dry is the
 * usual set, own has those of other weather whose bit is set. *mixed is room for lanes of several
 * sets. */
static inline const struct tyre_set *slip_tyres(const struct tyre_set *dry,
                                                const struct tyre_set own[GROUND_WEATHERS],
                                                uint32_t weathers, const int32_t weather[WHEELS],
                                                double friction[WHEELS], struct tyre_set *mixed)
{
    if (weathers == 0)
        return dry;
    const struct tyre_set *of[WHEELS];
    for (int i = 0; i < WHEELS; i++) {
        uint32_t here = (uint32_t)weather[i] % GROUND_WEATHERS;
        bool has_own = (weathers >> here & 1u) != 0;
        of[i] = has_own ? &own[here] : dry;
        if (has_own)
            friction[i] /= ground_weather_friction[here];
    }
    if (of[FL] == of[FR] && of[FL] == of[RL] && of[FL] == of[RR])
        return of[FL];
    tyre_set_mix(mixed, of);
    return mixed;
}

#endif
