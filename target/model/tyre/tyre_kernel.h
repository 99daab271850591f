/* The Magic Formula for four wheels, written once and compiled once for each instruction set.
 * Private to tyre_avx.c and tyre_base.c. Numbers (T-n) are equations of docs/tyre.md. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_KERNEL_H
#define SKIDPAD_MODEL_TYRE_TYRE_KERNEL_H

#include "target/model/math/v4_fast.h"
#include "target/model/tyre/tyre.h"

#define S(field) v4_load(set->field)

/* What all parts share: the operating point, clamped to the range of the file where it enters the
 * coefficients. */
struct point {
    v4 fz, share;        /* clamped load in N, true over clamped load */
    v4 dfz, fzn;         /* (Fz - Fz0') / Fz0', Fz / Fz0' */
    v4 dpi, pn;          /* (p - p0) / p0, p / p0 */
    v4 kappa, tan_alpha; /* true slips, mirrored to the side of the file, finite */
    v4 kappa_in, tan_in; /* the same, clamped */
    v4 alpha, cos_alpha; /* alpha of tan_in; cosine of the true slip angle */
    v4 gamma, gamma2, gamma_abs;
    v4 mu, inv_mu; /* friction of the road and its inverse, the latter bounded */
    v4 heading;    /* -1..1: direction of travel, faded around standstill */
};

/* What the tyre can do here whatever its slip. */
struct grip {
    v4 peak_x_N, stiff_x_N;
    v4 peak_y_N, mu_y, cornering_N; /* cornering_N is Kya, negative */
    v4 upright_peak_N, upright_N;   /* the same without camber */
};

/* One pure-slip curve D sin(C atan(...)) + SV at this point. */
struct curve {
    v4 force_N, slope_N, slide_N;
    v4 sine_N, zero_shift; /* force without SV; SH + SV / K */
};

struct lateral {
    struct curve curve;
    v4 b;        /* By */
    v4 force0_N; /* Fy0 without camber, for the aligning moment */
};

#define TYRE_FADE_MPS  0.5                /* below this speed trail and My fade linearly to zero */
#define TYRE_PHASE_MAX 2.6179938779914944 /* 150 deg: sliding keeps half of the peak (T-9) */
#define TYRE_SLIP_MAX  1e8                /* keeps squares finite */
#define TYRE_MU_MIN    0.01               /* bounds 1 / friction */

V4_INLINE v4 v4_sq(v4 x)
{
    return x * x;
}

/* cos(atan(x)) */
V4_INLINE v4 cos_atan(v4 x)
{
    return 1.0 / v4_sqrt(1.0 + x * x);
}

/* 1 or -1; zero counts as positive unless its sign is set. */
V4_INLINE v4 unit_sign(v4 x)
{
    return v4_sign_of(v4_all(1.0), x);
}

/* (T-8) sin(C atan(bx - E (bx - atan bx))) and its derivative to bx. */
V4_INLINE v4 magic_sin(v4 bx, v4 c, v4 e, v4 *derivative)
{
    v4 y = bx - e * (bx - v4_fast_atan(bx));
    v4 wish = c * v4_fast_atan(y);
    v4 limit = v4_all(TYRE_PHASE_MAX);
    v4 phase = v4_clamp(wish, -limit, limit);
    v4 sine = v4_fast_sin(phase);
    v4 cosine = v4_sqrt(v4_max(1.0 - sine * sine, v4_all(0.0)));
    cosine = v4_pick(v4_abs(phase) > V4_HALF_PI, -cosine, cosine);
    v4 rate = c / (1.0 + y * y) * (1.0 - e + e / (1.0 + bx * bx));
    *derivative = v4_pick(v4_abs(wish) > limit, v4_all(0.0), cosine * rate);
    return sine;
}

/* (T-21) cos(C atan(bs - E (bs - atan bs))): how much of a force the other slip leaves. */
V4_INLINE v4 magic_cos(v4 bs, v4 c, v4 e)
{
    v4 y = bs - e * (bs - v4_fast_atan(bs));
    return v4_fast_cos(c * v4_fast_atan(y));
}

/* The file's own pressure if none is given, within the range of the file. */
V4_INLINE v4 kernel_pressure_Pa(const struct tyre_set *set, v4 pressure_Pa)
{
    v4 pressure = v4_pick(pressure_Pa > 0.0, pressure_Pa, S(pressure_Pa));
    return v4_clamp(pressure, S(pressure_min_Pa), S(pressure_max_Pa));
}

V4_INLINE struct point kernel_point(const struct tyre_set *set, const struct tyre_in *in)
{
    struct point p;
    v4 load = v4_load(in->load_N), big = v4_all(TYRE_SLIP_MAX), one = v4_all(1.0);
    p.fz = v4_clamp(load, S(load_min_N), S(load_max_N));
    p.share = v4_max(load, v4_all(0.0)) / p.fz;
    p.fzn = p.fz * S(inv_load0s_1pN);
    p.dfz = p.fzn - 1.0;

    p.pn = kernel_pressure_Pa(set, v4_load(in->pressure_Pa)) * S(inv_pressure0_1pPa);
    p.dpi = p.pn - 1.0;

    v4 side = S(side);
    p.kappa = v4_clamp(v4_load(in->kappa), -big, big);
    p.tan_alpha = v4_clamp(side * v4_load(in->tan_alpha), -big, big);
    p.kappa_in = v4_clamp(p.kappa, S(kappa_min), S(kappa_max));
    p.tan_in = v4_clamp(p.tan_alpha, S(tan_alpha_min), S(tan_alpha_max));
    p.alpha = v4_fast_atan(p.tan_in);
    p.cos_alpha = cos_atan(p.tan_alpha);
    p.gamma = v4_clamp(side * v4_load(in->gamma_rad), S(gamma_min_rad), S(gamma_max_rad));
    p.gamma2 = p.gamma * p.gamma;
    p.gamma_abs = v4_abs(p.gamma);
    p.mu = v4_max(v4_load(in->friction), v4_all(0.0));
    p.inv_mu = 1.0 / v4_max(p.mu, v4_all(TYRE_MU_MIN));
    p.heading = v4_clamp(v4_load(in->vx_mps) * (1.0 / TYRE_FADE_MPS), -one, one);
    return p;
}

/* (T-13) cornering stiffness, negative, before camber reduces it. */
V4_INLINE v4 kernel_cornering(const struct tyre_set *set, const struct point *p, v4 gamma2)
{
    v4 f = p->fzn, f0 = (S(pky2) + S(pky5) * gamma2) * (1.0 + S(ppy2) * p->dpi);
    v4 shape;
    if (set->has_pky4)
        shape = v4_sin(S(pky4) * v4_fast_atan(f / f0));
    else
        shape = 2.0 * f * f0 / (f * f + f0 * f0); /* sin(2 atan(f / f0)) */
    return S(pky1_N) * (1.0 + S(ppy1) * p->dpi) * shape;
}

/* (T-4), (T-5), (T-11) to (T-13): what does not depend on slip. Bounds keep the coefficients of a
 * file physical where it is extrapolated. */
V4_INLINE struct grip kernel_grip(const struct tyre_set *set, const struct point *p)
{
    struct grip out;
    v4 mu = (S(pdx1) + S(pdx2) * p->dfz) * (1.0 + p->dpi * (S(ppx3) + S(ppx4) * p->dpi));
    mu = v4_max(mu * (1.0 - S(pdx3) * p->gamma2), 0.1 * S(pdx1)) * p->mu;
    out.peak_x_N = mu * p->fz;
    v4 k = (S(pkx1) + S(pkx2) * p->dfz) * (1.0 + p->dpi * (S(ppx1) + S(ppx2) * p->dpi));
    if (set->has_pkx3)
        k *= v4_exp(S(pkx3) * p->dfz);
    out.stiff_x_N = v4_max(k, v4_all(1.0)) * p->fz;

    v4 muy = (S(pdy1) + S(pdy2) * p->dfz) * (1.0 + p->dpi * (S(ppy3) + S(ppy4) * p->dpi));
    v4 mu_min = 0.1 * S(pdy1);
    out.mu_y = v4_max(muy * (1.0 - S(pdy3) * p->gamma2), mu_min) * p->mu;
    out.peak_y_N = out.mu_y * p->fz;
    out.upright_peak_N = v4_max(muy, mu_min) * p->mu * p->fz;
    out.upright_N = kernel_cornering(set, p, p->gamma2);
    out.cornering_N = v4_min(out.upright_N * (1.0 - S(pky3) * p->gamma_abs), -p->fz);
    return out;
}

/* (T-6) to (T-8): pure longitudinal slip. */
V4_INLINE struct curve kernel_long(const struct tyre_set *set, const struct point *p,
                                   const struct grip *grip)
{
    struct curve out;
    v4 d = grip->peak_x_N, k = grip->stiff_x_N, c = S(cx);
    v4 b = k / (c * v4_max(d, 1e-3 * p->fz));
    v4 shift = S(phx1) + S(phx2) * p->dfz, x = p->kappa_in + shift;
    v4 e = (S(pex1) + p->dfz * (S(pex2) + S(pex3) * p->dfz)) * (1.0 - S(pex4) * unit_sign(x));
    e = v4_min(e, v4_all(1.0));
    v4 derivative, sine = magic_sin(b * x, c, e, &derivative);
    v4 offset_N = p->fz * p->mu * (S(pvx1) + S(pvx2) * p->dfz);
    out.sine_N = d * sine;
    out.force_N = out.sine_N + offset_N;
    out.slope_N = v4_pick(p->kappa_in == p->kappa, d * derivative * b, v4_all(0.0));
    out.slide_N = d * S(slide_x);
    out.zero_shift = shift + offset_N / k;
    return out;
}

/* (T-10) to (T-16): pure lateral slip. */
V4_INLINE struct lateral kernel_lat(const struct tyre_set *set, const struct point *p,
                                    const struct grip *grip)
{
    struct lateral out;
    v4 d = grip->peak_y_N, c = S(cy), k = grip->cornering_N, one = v4_all(1.0);
    out.b = k / (c * v4_max(d, 1e-3 * p->fz));

    v4 fz_mu = p->fz * p->mu;
    v4 camber_N = fz_mu * (S(pvy3) + S(pvy4) * p->dfz) * p->gamma;
    v4 offset0_N = fz_mu * (S(pvy1) + S(pvy2) * p->dfz), offset_N = offset0_N + camber_N;
    v4 shift0 = S(phy1) + S(phy2) * p->dfz;
    v4 stiff_camber_N = p->fz * (S(pky6) + S(pky7) * p->dfz) * (1.0 + S(ppy5) * p->dpi);
    v4 shift6 = (stiff_camber_N * p->gamma - camber_N) / k;
    v4 shift = shift0 + S(is6) * shift6 + S(phy3) * p->gamma;

    v4 x = p->alpha + shift, e0 = S(pey1) + S(pey2) * p->dfz;
    v4 lopsided = (S(pey3) + S(pey4) * p->gamma) * unit_sign(x);
    v4 e = v4_min(e0 * (1.0 + S(pey5) * p->gamma2 - lopsided), one);
    v4 derivative, sine = magic_sin(out.b * x, c, e, &derivative);
    out.curve.sine_N = d * sine;
    out.curve.force_N = out.curve.sine_N + offset_N;
    v4 slope = -d * derivative * out.b / (1.0 + p->tan_in * p->tan_in);
    out.curve.slope_N = v4_pick(p->tan_in == p->tan_alpha, slope, v4_all(0.0));
    out.curve.slide_N = d * S(slide_y);
    out.curve.zero_shift = shift + offset_N / k;

    out.force0_N = out.curve.force_N;
    if (set->any_6x) { /* (T-31): the trail of 6.x acts on the force that an upright wheel has */
        v4 d0 = grip->upright_peak_N, upright_N = grip->upright_N;
        if (set->has_pky5)
            upright_N = kernel_cornering(set, p, v4_all(0.0));
        v4 b0 = v4_min(upright_N, -p->fz) / (c * v4_max(d0, 1e-3 * p->fz)), unused;
        v4 x0 = p->alpha + shift0;
        v4 ey0 = v4_min(e0 * (1.0 - S(pey3) * unit_sign(x0)), one);
        v4 force0_N = d0 * magic_sin(b0 * x0, c, ey0, &unused) + offset0_N;
        out.force0_N = v4_pick(S(is6) != 0.0, force0_N, out.force0_N);
    }
    return out;
}

/* (T-20) to (T-25): what combined slip leaves of Fx and Fy, and the lateral force that
 * longitudinal slip adds. Slips are divided by the road's friction (similarity). */
struct combined {
    v4 gx, gy, svyk_N;
};

/* (T-23): the friction ellipse, for files without combined-slip coefficients. */
V4_INLINE void kernel_ellipse(const struct tyre_set *set, const struct point *p,
                              const struct grip *grip, const struct curve *lon,
                              const struct lateral *lat, struct combined *g)
{
    v4 tiny = v4_all(1e-12);
    v4 kappa = v4_abs(p->kappa_in + lon->zero_shift) + tiny;
    v4 alpha = v4_abs(v4_sin(p->alpha + lat->curve.zero_shift)) + tiny;
    v4 x = lon->sine_N / v4_max(grip->peak_y_N, tiny) * alpha;
    v4 y = lat->curve.sine_N / v4_max(grip->peak_x_N, tiny) * kappa;
    g->gx = v4_pick(S(ellipse) != 0.0, kappa / v4_sqrt(kappa * kappa + x * x), g->gx);
    g->gy = v4_pick(S(ellipse) != 0.0, alpha / v4_sqrt(alpha * alpha + y * y), g->gy);
}

V4_INLINE struct combined kernel_combined(const struct tyre_set *set, const struct point *p, v4 muy)
{
    struct combined out;
    v4 kappa = p->kappa_in * p->inv_mu, alpha = p->alpha * p->inv_mu;
    v4 one = v4_all(1.0), zero = v4_all(0.0);

    v4 b = (S(rbx1) + S(rbx3) * p->gamma2) * cos_atan(S(rbx2) * kappa);
    v4 c = S(rcx1), e = v4_min(S(rex1) + S(rex2) * p->dfz, one), shift = S(rhx1);
    out.gx = magic_cos(b * (alpha + shift), c, e);
    if (set->has_rhx)
        out.gx /= magic_cos(b * shift, c, e);
    out.gx = v4_max(out.gx, zero);

    b = (S(rby1) + S(rby4) * p->gamma2) * cos_atan(S(rby2) * (alpha - S(rby3)));
    c = S(rcy1);
    e = v4_min(S(rey1) + S(rey2) * p->dfz, one);
    shift = S(rhy1) + S(rhy2) * p->dfz;
    out.gy = magic_cos(b * (kappa + shift), c, e);
    if (set->has_rhy)
        out.gy /= magic_cos(b * shift, c, e);
    out.gy = v4_max(out.gy, zero);

    out.svyk_N = zero;
    if (set->has_rvy) {
        v4 d = muy * p->fz * (S(rvy1) + S(rvy2) * p->dfz + S(rvy3) * p->gamma);
        d *= cos_atan(S(rvy4) * alpha);
        out.svyk_N = d * v4_sin(S(rvy5) * v4_fast_atan(S(rvy6) * kappa));
    }
    return out;
}

#endif
