#include "target/model/tyre/tyre_set.h"

#include "target/model/math/vecmath.h"
#include "target/model/tyre/tyre.h"

#include <math.h>
#include <string.h>

#define HALF_PI 1.5707963267948966

/* Left-right offsets: what an even tyre does not have (docs/tyre.md, "Sides"). */
static void drop_offsets(struct tyre_model *m)
{
    m->phy1 = m->phy2 = m->pvy1 = m->pvy2 = 0.0;
    m->pey3 = 0.0;
    m->rhx1 = m->rby3 = 0.0;
    m->rvy1 = m->rvy2 = 0.0;
    m->qsx1 = 0.0;
    m->qbz4 = m->qdz3 = m->qdz6 = m->qdz7 = 0.0;
    m->qez4 = m->qhz1 = m->qhz2 = m->ssz1 = 0.0;
}

/* Sliding over peak friction of D sin(C atan(...)) at infinite slip, at least a half (T-9). */
static double slide_share(double shape)
{
    double sine = shape * HALF_PI < 2.0 * HALF_PI ? vm_sin(shape * HALF_PI) : 0.0;
    return shape > 1.0 ? fmax(sine, 0.5) : 1.0;
}

/* tan of a range limit; from 89.9 degrees on there is no limit. */
static double tan_limit(double alpha_rad)
{
    if (fabs(alpha_rad) > 1.569)
        return copysign(1e8, alpha_rad);
    return vm_sin(alpha_rad) / vm_cos(alpha_rad);
}

static void set_general(struct tyre_set *s, int i, const struct tyre_model *m)
{
    double load0s_N = m->nominal_load_N * m->lfzo;
    s->is6[i] = m->version == TYRE_MF52 ? 0.0 : 1.0;
    s->ellipse[i] = m->rbx1 * m->rcx1 * m->rby1 * m->rcy1 == 0.0 ? 1.0 : 0.0;
    s->radius_m[i] = m->radius_m;
    s->width_m[i] = m->width_m;
    s->load0_N[i] = m->nominal_load_N;
    s->inv_load0_1pN[i] = 1.0 / m->nominal_load_N;
    s->load0s_N[i] = load0s_N;
    s->inv_load0s_1pN[i] = 1.0 / load0s_N;
    s->inv_speed0_spm[i] = 1.0 / m->reference_speed_mps;
    s->pressure_Pa[i] = m->pressure_Pa;
    s->inv_pressure0_1pPa[i] = 1.0 / m->nominal_pressure_Pa;
    s->load_min_N[i] = fmax(m->load_min_N, 0.01 * m->nominal_load_N);
    s->load_max_N[i] = m->load_max_N;
    s->pressure_min_Pa[i] = m->pressure_min_Pa;
    s->pressure_max_Pa[i] = m->pressure_max_Pa;
    s->kappa_min[i] = m->kappa_min;
    s->kappa_max[i] = m->kappa_max;
    s->tan_alpha_min[i] = tan_limit(m->alpha_min_rad);
    s->tan_alpha_max[i] = tan_limit(m->alpha_max_rad);
    s->gamma_min_rad[i] = m->gamma_min_rad;
    s->gamma_max_rad[i] = m->gamma_max_rad;
    s->slide_x[i] = slide_share(m->pcx1 * m->lcx);
    s->slide_y[i] = slide_share(m->pcy1 * m->lcy);
    /* (T-26): inside the range of the file, but where the slips together exceed 0.5 the
     * weights of combined slip no longer know the direction of sliding. */
    double range =
        fmin(fmin(-m->kappa_min, m->kappa_max), fmin(-s->tan_alpha_min[i], s->tan_alpha_max[i]));
    s->slide_from[i] = fmin(range, 0.5);
    s->slide_over[i] = 1.0 / s->slide_from[i];
}

static void set_long(struct tyre_set *s, int i, const struct tyre_model *m)
{
    s->cx[i] = m->pcx1 * m->lcx;
    s->pdx1[i] = m->pdx1 * m->lmux;
    s->pdx2[i] = m->pdx2 * m->lmux;
    s->pdx3[i] = m->pdx3 * m->lgax * m->lgax;
    s->ppx3[i] = m->ppx3;
    s->ppx4[i] = m->ppx4;
    s->pex1[i] = m->pex1 * m->lex;
    s->pex2[i] = m->pex2 * m->lex;
    s->pex3[i] = m->pex3 * m->lex;
    s->pex4[i] = m->pex4;
    s->pkx1[i] = m->pkx1 * m->lkx;
    s->pkx2[i] = m->pkx2 * m->lkx;
    s->pkx3[i] = m->pkx3;
    s->ppx1[i] = m->ppx1;
    s->ppx2[i] = m->ppx2;
    s->phx1[i] = m->phx1 * m->lhx;
    s->phx2[i] = m->phx2 * m->lhx;
    s->pvx1[i] = m->pvx1 * m->lvx * m->lmux;
    s->pvx2[i] = m->pvx2 * m->lvx * m->lmux;
    s->rbx1[i] = m->rbx1 * m->lxal;
    s->rbx2[i] = m->rbx2;
    s->rbx3[i] = m->rbx3 * m->lxal;
    s->rcx1[i] = m->rcx1;
    s->rex1[i] = m->rex1;
    s->rex2[i] = m->rex2;
    s->rhx1[i] = m->rhx1;
}

static void set_lat(struct tyre_set *s, int i, const struct tyre_model *m)
{
    bool six = m->version != TYRE_MF52;
    double camber_N = m->lmuy * (six ? m->lkyc : m->lgay);
    s->cy[i] = m->pcy1 * m->lcy;
    s->pdy1[i] = m->pdy1 * m->lmuy;
    s->pdy2[i] = m->pdy2 * m->lmuy;
    s->pdy3[i] = m->pdy3 * m->lgay * m->lgay;
    s->ppy3[i] = m->ppy3;
    s->ppy4[i] = m->ppy4;
    s->pey1[i] = m->pey1 * m->ley;
    s->pey2[i] = m->pey2 * m->ley;
    s->pey3[i] = m->pey3;
    s->pey4[i] = m->pey4 * m->lgay;
    s->pey5[i] = six ? m->pey5 : 0.0;
    s->pky1_N[i] = m->pky1 * m->nominal_load_N * m->lfzo * m->lky;
    s->pky2[i] = m->pky2;
    s->pky3[i] = m->pky3 * m->lgay;
    s->pky4[i] = six ? m->pky4 : 2.0;
    s->pky5[i] = six ? m->pky5 : 0.0;
    s->pky6[i] = six ? m->pky6 * m->lkyc : 0.0;
    s->pky7[i] = six ? m->pky7 * m->lkyc : 0.0;
    s->ppy1[i] = m->ppy1;
    s->ppy2[i] = m->ppy2;
    s->ppy5[i] = m->ppy5;
    s->phy1[i] = m->phy1 * m->lhy;
    s->phy2[i] = m->phy2 * m->lhy;
    s->phy3[i] = six ? 0.0 : m->phy3 * m->lgay;
    s->pvy1[i] = m->pvy1 * m->lvy * m->lmuy;
    s->pvy2[i] = m->pvy2 * m->lvy * m->lmuy;
    s->pvy3[i] = m->pvy3 * camber_N;
    s->pvy4[i] = m->pvy4 * camber_N;
    s->rby1[i] = m->rby1 * m->lyka;
    s->rby2[i] = m->rby2;
    s->rby3[i] = m->rby3;
    s->rby4[i] = m->rby4 * m->lyka;
    s->rcy1[i] = m->rcy1;
    s->rey1[i] = m->rey1;
    s->rey2[i] = m->rey2;
    s->rhy1[i] = m->rhy1;
    s->rhy2[i] = m->rhy2;
    s->rvy1[i] = m->rvy1 * m->lvyka;
    s->rvy2[i] = m->rvy2 * m->lvyka;
    s->rvy3[i] = m->rvy3 * m->lvyka;
    s->rvy4[i] = m->rvy4;
    s->rvy5[i] = m->rvy5;
    s->rvy6[i] = m->rvy6;
}

static void set_aligning(struct tyre_set *s, int i, const struct tyre_model *m)
{
    bool six = m->version != TYRE_MF52;
    double r0 = m->radius_m, lgaz = m->lgaz;
    double trail_m = r0 / m->nominal_load_N / (six ? m->lfzo : 1.0) * m->ltr;
    double residual_m = r0 * m->lmuy, camber_m = residual_m * (six ? m->lkzc : lgaz);
    double slope = m->lky / m->lmuy, arm_m = r0 * m->ls;
    s->qbz1[i] = m->qbz1 * slope;
    s->qbz2[i] = m->qbz2 * slope;
    s->qbz3[i] = m->qbz3 * slope;
    s->qbz4[i] = m->qbz4 * lgaz;
    s->qbz5[i] = m->qbz5 * lgaz;
    s->qbz6[i] = m->qbz6 * lgaz * lgaz;
    s->qbz9[i] = m->qbz9 * slope;
    s->qbz10[i] = m->qbz10;
    s->qcz1[i] = m->qcz1;
    s->qdz1[i] = m->qdz1 * trail_m;
    s->qdz2[i] = m->qdz2 * trail_m;
    s->qdz3[i] = m->qdz3 * lgaz;
    s->qdz4[i] = m->qdz4 * lgaz * lgaz;
    s->qdz6[i] = m->qdz6 * m->lres * residual_m;
    s->qdz7[i] = m->qdz7 * m->lres * residual_m;
    s->qdz8[i] = m->qdz8 * camber_m;
    s->qdz9[i] = m->qdz9 * camber_m;
    s->qdz10[i] = m->qdz10 * camber_m;
    s->qdz11[i] = m->qdz11 * camber_m;
    s->qez1[i] = m->qez1;
    s->qez2[i] = m->qez2;
    s->qez3[i] = m->qez3;
    s->qez4[i] = m->qez4;
    s->qez5[i] = m->qez5 * lgaz;
    s->qhz1[i] = m->qhz1;
    s->qhz2[i] = m->qhz2;
    s->qhz3[i] = m->qhz3 * lgaz;
    s->qhz4[i] = m->qhz4 * lgaz;
    s->ppz1[i] = m->ppz1;
    s->ppz2[i] = m->ppz2;
    s->ssz1[i] = m->ssz1 * arm_m;
    s->ssz2[i] = m->ssz2 * arm_m * s->inv_load0s_1pN[i];
    s->ssz3[i] = m->ssz3 * arm_m;
    s->ssz4[i] = m->ssz4 * arm_m;
}

static void set_other_moments(struct tyre_set *s, int i, const struct tyre_model *m)
{
    double r0 = m->radius_m * m->lmx;
    s->qsx1[i] = m->qsx1 * m->lvmx * m->radius_m;
    s->qsx2[i] = m->qsx2 * r0;
    s->qsx3[i] = m->qsx3 * r0;
    s->qsx4[i] = m->qsx4 * r0;
    s->qsx5[i] = m->qsx5;
    s->qsx6[i] = m->qsx6;
    s->qsx7[i] = m->qsx7;
    s->qsx8[i] = m->qsx8;
    s->qsx9[i] = m->qsx9;
    s->qsx10[i] = m->qsx10 * r0;
    s->qsx11[i] = m->qsx11;
    s->qsx12[i] = m->qsx12 * r0;
    s->qsx13[i] = m->qsx13 * r0;
    s->qsx14[i] = m->qsx14 * r0;
    s->ppmx1[i] = m->ppmx1;
    s->qsy1[i] = m->qsy1;
    s->qsy2[i] = m->qsy2;
    s->qsy3[i] = m->qsy3;
    s->qsy4[i] = m->qsy4;
    s->qsy5[i] = m->qsy5;
    s->qsy6[i] = m->qsy6;
    /* 5.2 is proportional to the load; PAC2002 files fill the keys of later versions with 0. */
    s->qsy7[i] = m->version == TYRE_MF52 ? 1.0 : m->qsy7;
    s->qsy8[i] = m->version == TYRE_MF52 ? 0.0 : m->qsy8;
    s->rolling_scale[i] = m->radius_m * m->nominal_load_N * m->lmy;
}

static void set_transient(struct tyre_set *s, int i, const struct tyre_model *m)
{
    double scale_m = m->radius_m * m->lfzo;
    s->ptx1_m[i] = m->ptx1 * scale_m * m->lsgkp;
    s->ptx2_m[i] = m->ptx2 * scale_m * m->lsgkp;
    s->ptx3[i] = m->ptx3;
    s->pty1_m[i] = m->pty1 * scale_m * m->lsgal;
    s->pty2[i] = m->pty2;
    s->pty_camber[i] = m->pky3 * m->lgay;
    s->carcass_x_Npm[i] = m->long_stiffness_Npm;
    s->carcass_x1[i] = m->pcfx1;
    s->carcass_x2[i] = m->pcfx2;
    s->carcass_x3[i] = m->pcfx3;
    s->carcass_y_Npm[i] = m->lat_stiffness_Npm;
    s->carcass_y1[i] = m->pcfy1;
    s->carcass_y2[i] = m->pcfy2;
    s->carcass_y3[i] = m->pcfy3;
}

/* (T-42) to (T-46) */
static void set_vertical(struct tyre_set *s, int i, const struct tyre_model *m)
{
    bool six = m->version != TYRE_MF52;
    double cz = m->vertical_stiffness_Npm * m->lcz, r0 = m->radius_m, fz0 = m->nominal_load_N;
    double per_speed = r0 / m->reference_speed_mps, ratio = cz * r0 / fz0;
    double q_fz2 = six ? m->q_fz2 : 0.0, q_fz1 = sqrt(ratio * ratio - 4.0 * q_fz2);
    s->free_radius_m[i] = six ? r0 * m->q_re0 : r0;
    s->growth_ms2[i] = six ? r0 * m->q_v1 * per_speed * per_speed : 0.0;
    s->spin_stiffening_s[i] = six ? m->q_v2 * per_speed : 0.0;
    s->linear_Npm[i] = q_fz1 * fz0 / r0;
    s->quadratic_Npm2[i] = q_fz2 * fz0 / (r0 * r0);
    s->pressure_effect[i] = m->pfz1;
    s->damping_Nspm[i] = m->vertical_damping_Nspm;
    s->bottom_from_m[i] = r0 - m->rim_radius_m - m->bottom_offset_m;
    s->bottom_Npm[i] = m->bottom_stiffness_Npm;
    s->breff[i] = m->breff;
    s->dreff_m[i] = m->dreff * fz0 / cz;
    s->freff_m[i] = m->freff * fz0 / cz;
}

static bool any(const double x[WHEELS])
{
    return x[FL] != 0.0 || x[FR] != 0.0 || x[RL] != 0.0 || x[RR] != 0.0;
}

static void set_flags(struct tyre_set *s)
{
    s->any_52 = s->any_6x = s->has_pky4 = s->has_qsy7 = false;
    for (int i = 0; i < WHEELS; i++) {
        s->any_52 |= s->is6[i] == 0.0;
        s->any_6x |= s->is6[i] != 0.0;
        s->has_pky4 |= s->pky4[i] != 2.0;
        s->has_qsy7 |= s->qsy7[i] != 1.0;
    }
    s->any_ellipse = any(s->ellipse);
    s->has_pkx3 = any(s->pkx3);
    s->has_ptx3 = any(s->ptx3);
    s->has_pky5 = any(s->pky5);
    s->has_rhx = any(s->rhx1);
    s->has_rhy = any(s->rhy1) || any(s->rhy2);
    s->has_rvy = any(s->rvy1) || any(s->rvy2) || any(s->rvy3);
    s->has_mzr = any(s->qdz6) || any(s->qdz7) || any(s->qdz8) || any(s->qdz9) || any(s->qdz10) ||
                 any(s->qdz11);
    s->has_qez4 = any(s->qez4) || any(s->qez5);
    s->has_qsx4 = any(s->qsx4);
    s->has_qsx10 = any(s->qsx10);
    s->has_qsy8 = any(s->qsy8);
}

void tyre_set_init(struct tyre_set *set, const struct tyre_model *const model[WHEELS],
                   enum tyre_sides sides)
{
    memset(set, 0, sizeof *set);
    for (int i = 0; i < WHEELS; i++) {
        struct tyre_model m = *model[i];
        bool right = i == FR || i == RR;
        if (sides == TYRE_SIDES_SYMMETRIC)
            drop_offsets(&m);
        set->side[i] = sides == TYRE_SIDES_MIRROR && right != m.right_side ? -1.0 : 1.0;
        set_general(set, i, &m);
        set_long(set, i, &m);
        set_lat(set, i, &m);
        set_aligning(set, i, &m);
        set_other_moments(set, i, &m);
        set_transient(set, i, &m);
        set_vertical(set, i, &m);
    }
    set_flags(set);
}

/* NOLINTNEXTLINE(readability-function-size): one line a field, from the list of them */
void tyre_set_mix(struct tyre_set *set, const struct tyre_set *const of[WHEELS])
{
#define TYRE_SET_LANES(name)                                                                       \
    for (int i = 0; i < WHEELS; i++)                                                               \
        set->name[i] = of[i]->name[i];
    TYRE_SET_FIELDS(TYRE_SET_LANES)
#undef TYRE_SET_LANES
    set_flags(set);
}
