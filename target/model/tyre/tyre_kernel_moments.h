/* Second half of the four-wheel Magic Formula: sliding, moments, relaxation, and the whole.
 * Private to tyre_avx.c and tyre_base.c. Numbers (T-n) are equations of docs/tyre.md. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_KERNEL_MOMENTS_H
#define SKIDPAD_MODEL_TYRE_TYRE_KERNEL_MOMENTS_H

#include "target/model/tyre/tyre_grip.h"
#include "target/model/tyre/tyre_kernel.h"

/* Forces and slopes after blending towards sliding. */
struct planar {
    v4 fx_N, fy_N, slope_x_N, slope_y_N;
    v4 grip; /* 1 - w: how much of the Magic Formula is left */
};

/* The force of one direction when the slip points that way: the curve inside the range of the
 * file, tending to sliding friction with the distance beyond it (T-27). */
V4_INLINE v4 level_along(const struct curve *c, v4 slip, v4 slip_in)
{
    v4 inside = v4_pick(slip == slip_in, v4_all(1.0), slip_in / slip);
    return c->slide_N + inside * (v4_abs(c->force_N) - c->slide_N);
}

/* (T-26) to (T-29): with growing total slip the force turns against the sliding velocity. */
V4_INLINE struct planar kernel_slide(const struct tyre_set *set, const struct point *p,
                                     const struct curve *lon, const struct lateral *lat,
                                     const struct combined *g)
{
    struct planar out;
    v4 zero = v4_all(0.0), one = v4_all(1.0);
    v4 kappa2 = p->kappa * p->kappa, tan2 = p->tan_alpha * p->tan_alpha;
    v4 slip2 = v4_max(kappa2 + tan2, v4_all(1e-30));
    v4 slip = v4_sqrt(slip2), inv_slip = 1.0 / slip;
    v4 s = v4_clamp((slip * p->inv_mu - S(slide_from)) * S(slide_over), zero, one);
    v4 w = s * s * (3.0 - 2.0 * s);

    v4 cx2 = kappa2 * inv_slip * inv_slip, cy2 = 1.0 - cx2;
    v4 x_N = cx2 * level_along(lon, p->kappa, p->kappa_in) + cy2 * lon->slide_N;
    v4 y_N = cy2 * level_along(&lat->curve, p->tan_alpha, p->tan_in) + cx2 * lat->curve.slide_N;
    v4 per_slip_N = (cx2 * x_N + cy2 * y_N) * inv_slip;

    v4 mf_x_N = g->gx * lon->force_N, mf_y_N = g->gy * lat->curve.force_N + g->svyk_N;
    out.fx_N = mf_x_N + w * (per_slip_N * p->kappa - mf_x_N);
    out.fy_N = mf_y_N + w * (-per_slip_N * p->tan_alpha - mf_y_N);
    out.grip = 1.0 - w;
    out.slope_x_N = out.grip * g->gx * lon->slope_N + w * (per_slip_N * cy2 + cx2 * lon->slope_N);
    out.slope_y_N =
        out.grip * g->gy * lat->curve.slope_N + w * (per_slip_N * cx2 + cy2 * lat->curve.slope_N);
    return out;
}

/* Square of tan(alpha + shift), by the addition theorem; shifts are small angles. */
V4_INLINE v4 tan2_shifted(v4 tan_alpha, v4 shift)
{
    v4 t = shift * (1.0 + shift * shift * (1.0 / 3.0));
    v4 shifted = (tan_alpha + t) / (1.0 - tan_alpha * t);
    return shifted * shifted;
}

/* (T-30) to (T-37): aligning moment. */
V4_INLINE v4 kernel_mz(const struct tyre_set *set, const struct point *p, const struct grip *grip,
                       const struct lateral *lat, const struct combined *g, const struct planar *f)
{
    v4 one = v4_all(1.0);
    v4 stiff_ratio = grip->stiff_x_N / grip->cornering_N * p->kappa_in;
    v4 kappa2 = stiff_ratio * stiff_ratio;

    v4 shift = S(qhz1) + S(qhz2) * p->dfz + (S(qhz3) + S(qhz4) * p->dfz) * p->gamma;
    v4 alpha_t = p->alpha + shift;
    v4 alpha_eq =
        v4_sign_of(v4_fast_atan(v4_sqrt(tan2_shifted(p->tan_in, shift) + kappa2)), alpha_t);
    v4 d = p->fz * (S(qdz1) + S(qdz2) * p->dfz) * (1.0 - S(ppz1) * p->dpi);
    d *= 1.0 + S(qdz3) * p->gamma + S(qdz4) * p->gamma2;
    v4 b = (S(qbz1) + p->dfz * (S(qbz2) + S(qbz3) * p->dfz)) * p->inv_mu;
    b *= 1.0 + S(qbz4) * p->gamma + S(qbz5) * p->gamma_abs + S(qbz6) * p->gamma2;
    v4 c = S(qcz1), e = S(qez1) + p->dfz * (S(qez2) + S(qez3) * p->dfz);
    if (set->has_qez4) {
        v4 turn = v4_fast_atan(b * c * alpha_t) * (1.0 / V4_HALF_PI);
        e *= 1.0 + (S(qez4) + S(qez5) * p->gamma) * turn;
    }
    v4 trail_m = d * magic_cos(b * alpha_eq, c, v4_min(e, one)) * p->cos_alpha;
    v4 mz = -trail_m * g->gy * lat->force0_N;

    if (set->has_mzr) {
        v4 eq = v4_fast_atan(v4_sqrt(tan2_shifted(p->tan_in, lat->curve.zero_shift) + kappa2));
        v4 br = S(qbz9) * p->inv_mu + S(qbz10) * lat->b * S(cy);
        v4 dr = S(qdz6) + S(qdz7) * p->dfz;
        dr += ((S(qdz8) + S(qdz9) * p->dfz) * (1.0 + S(ppz2) * p->dpi) +
               (S(qdz10) + S(qdz11) * p->dfz) * p->gamma_abs) *
              p->gamma;
        mz += p->fz * p->mu * dr * cos_atan(br * eq) * p->cos_alpha;
    }
    v4 arm_m = S(ssz1) + S(ssz2) * f->fy_N + (S(ssz3) + S(ssz4) * p->dfz) * p->gamma;
    return p->heading * f->grip * mz + arm_m * f->fx_N;
}

/* (T-38): overturning moment. */
V4_INLINE v4 kernel_mx(const struct tyre_set *set, const struct point *p, v4 fy_N)
{
    v4 inv = S(inv_load0_1pN), fyn = fy_N * inv, fzn = p->fz * inv;
    v4 sum = S(qsx1) - p->gamma * (S(qsx2) * (1.0 + S(ppmx1) * p->dpi) + S(qsx12) * p->gamma_abs);
    sum += S(qsx3) * fyn;
    if (set->has_qsx4) {
        v4 a = S(qsx6) * fzn;
        v4 wave = v4_sin(V4_HALF_PI - S(qsx5) * v4_fast_atan(a * a));
        sum += S(qsx4) * wave * v4_sin(S(qsx7) * p->gamma + S(qsx8) * v4_fast_atan(S(qsx9) * fyn));
    }
    if (set->has_qsx10)
        sum += S(qsx10) * v4_fast_atan(S(qsx11) * fzn) * p->gamma;
    return p->fz * sum + fy_N * (S(qsx13) + S(qsx14) * p->gamma_abs);
}

/* (T-39): rolling resistance as a moment, >= 0. */
V4_INLINE v4 kernel_rolling(const struct tyre_set *set, const struct point *p, v4 fx_N, v4 vx_mps)
{
    v4 inv = S(inv_load0_1pN), fzn = p->fz * inv;
    v4 v = v4_abs(vx_mps) * S(inv_speed0_spm), v2 = v * v;
    v4 sum = S(qsy1) + S(qsy2) * fx_N * inv + S(qsy3) * v + S(qsy4) * v2 * v2;
    sum += (S(qsy5) + S(qsy6) * fzn) * p->gamma2;
    if (set->has_qsy7)
        sum *= v4_exp(S(qsy7) * v4_log(fzn));
    else
        sum *= fzn;
    if (set->has_qsy8)
        sum *= v4_exp(S(qsy8) * v4_log(p->pn));
    return v4_max(S(rolling_scale) * sum, v4_all(0.0));
}

/* (T-40), (T-41): relaxation lengths. */
V4_INLINE void kernel_relaxation(const struct tyre_set *set, const struct point *p,
                                 const struct grip *grip, double relax_x_m[WHEELS],
                                 double relax_y_m[WHEELS])
{
    v4 x = v4_all(0.0), y = v4_all(0.0), shortest = v4_all(1e-3);
    if (set->any_6x) {
        v4 cx = S(carcass_x_Npm) * (1.0 + p->dfz * (S(carcass_x1) + S(carcass_x2) * p->dfz)) *
                (1.0 + S(carcass_x3) * p->dpi);
        v4 cy = S(carcass_y_Npm) * (1.0 + p->dfz * (S(carcass_y1) + S(carcass_y2) * p->dfz)) *
                (1.0 + S(carcass_y3) * p->dpi);
        /* A file may let its carcass go soft far from the nominal load; a tenth is the least. */
        x = grip->stiff_x_N / v4_max(cx, 0.1 * S(carcass_x_Npm));
        y = -grip->cornering_N / v4_max(cy, 0.1 * S(carcass_y_Npm));
    }
    if (set->any_52) {
        v4 x5 = p->fzn * (S(ptx1_m) + S(ptx2_m) * p->dfz);
        if (set->has_ptx3)
            x5 *= v4_exp(-S(ptx3) * p->dfz);
        v4 f = p->fzn, f0 = S(pty2); /* sin(2 atan(f / f0)) */
        v4 y5 = S(pty1_m) * (2.0 * f * f0 / (f * f + f0 * f0));
        v4_mask six = S(is6) != 0.0;
        x = v4_pick(six, x, x5);
        y = v4_pick(six, y, y5 * (1.0 - S(pty_camber) * p->gamma_abs));
    }
    v4_store(relax_x_m, v4_max(x, shortest));
    v4_store(relax_y_m, v4_max(y, shortest));
}

V4_INLINE void kernel_tyre_grip(const struct tyre_set *set, const struct tyre_in *in,
                                struct tyre_grip *out)
{
    struct point p = kernel_point(set, in);
    struct grip grip = kernel_grip(set, &p);
    v4_store(out->stiff_x_N, grip.stiff_x_N * p.share);
    v4_store(out->stiff_y_N, -grip.cornering_N * p.share);
    v4_store(out->peak_x_N, grip.peak_x_N * p.share);
    v4_store(out->peak_y_N, grip.peak_y_N * p.share);
    kernel_relaxation(set, &p, &grip, out->relax_x_m, out->relax_y_m);
}

V4_INLINE void kernel_tyre_forces(const struct tyre_set *set, const struct tyre_in *in,
                                  struct tyre_out *out)
{
    struct point p = kernel_point(set, in);
    struct grip grip = kernel_grip(set, &p);
    struct curve lon = kernel_long(set, &p, &grip);
    struct lateral lat = kernel_lat(set, &p, &grip);
    struct combined g = kernel_combined(set, &p, grip.mu_y);
    if (set->any_ellipse)
        kernel_ellipse(set, &p, &grip, &lon, &lat, &g);
    struct planar f = kernel_slide(set, &p, &lon, &lat, &g);
    v4 mz = kernel_mz(set, &p, &grip, &lat, &g, &f);
    v4 mx = kernel_mx(set, &p, f.fy_N);
    v4 rolling = kernel_rolling(set, &p, f.fx_N, v4_load(in->vx_mps)) * p.share;

    v4 side_share = S(side) * p.share;
    v4_store(out->fx_N, f.fx_N * p.share);
    v4_store(out->fy_N, f.fy_N * side_share);
    v4_store(out->mx_Nm, mx * side_share);
    v4_store(out->my_Nm, -p.heading * rolling);
    v4_store(out->mz_Nm, mz * side_share);
    v4_store(out->rolling_Nm, rolling);
    v4_store(out->slope_x_N, f.slope_x_N * p.share);
    v4_store(out->slope_y_N, f.slope_y_N * p.share);
    v4_store(out->stiff_x_N, grip.stiff_x_N * p.share);
    v4_store(out->stiff_y_N, -grip.cornering_N * p.share);
    v4_store(out->peak_x_N, grip.peak_x_N * p.share);
    v4_store(out->peak_y_N, grip.peak_y_N * p.share);
    kernel_relaxation(set, &p, &grip, out->relax_x_m, out->relax_y_m);
}

#endif
