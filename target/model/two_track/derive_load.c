/* docs/two-track.md (P-4), (P-7) to (P-11) */
#include "target/model/two_track/derive_load.h"

#include "target/model/corner.h"

#include <math.h>
#include <string.h>

/* An axle at rest. */
struct rest {
    double load_N;      /* of a wheel */
    double radius_m;    /* loaded */
    double tyre_Npm;    /* of a wheel, vertical */
    double wheel_Npm;   /* force on a travel per travel, springs and geometry */
    struct corner left; /* at the travel of rest */
    struct vec3 path;   /* of the left contact point per travel */
    double contact_y_m; /* of the left contact point, body frame */
    double bar_Npm;
};

static int first_of(int axle)
{
    return axle == FRONT ? FL : RL;
}

/* The force on a travel under a load, tyres without force along the ground. */
static double travel_N(const struct chassis *c, int axle, double load_N, double radius_m,
                       double travel_m)
{
    const struct axle_model *a = &c->axle[axle];
    double unused, mass_kg = c->unsprung_kg[first_of(axle)];
    struct corner k;
    corner_at(&a->kin, travel_m, 0.0, 1.0, &k);
    struct vec3 path = v3_add(k.hub_z, v3_cross(k.turn_z, corner_arm_m(&k, radius_m)));
    return load_N * path.z - mass_kg * c->gravity_mps2 * k.hub_z.z +
           table1_at(&a->spring_N, a->spring_free_m - k.spring_m, &unused) * k.spring_z +
           table1_at(&a->rebound_N, -travel_m, &unused) - table1_at(&a->bump_N, travel_m, &unused);
}

/* Where the force on the travel is zero; it falls with the travel. */
static double rest_travel_m(const struct chassis *c, int axle, const struct rest *r)
{
    double low = -0.5, high = 0.5;
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        if (travel_N(c, axle, r->load_N, r->radius_m, middle) > 0.0)
            low = middle;
        else
            high = middle;
    }
    double found = 0.5 * (low + high);
    return fabs(found) < 1e-9 ? 0.0 : found; /* set for travel 0, but for rounding */
}

static void rest_of(const struct chassis *c, int axle, double load_N, double *travel_m,
                    struct rest *r)
{
    const double still[WHEELS] = {0.0}, d_m = 1e-3;
    int wheel = first_of(axle);
    double load[WHEELS], loaded_m[WHEELS], rolling_m[WHEELS], squeeze_m[WHEELS], got_N[WHEELS];
    double rate_Npm[WHEELS], unused[WHEELS];
    for (int i = 0; i < WHEELS; i++)
        load[i] = load_N;
    tyre_radii(&c->tyres, load, still, c->inflation_Pa, loaded_m, rolling_m);
    for (int i = 0; i < WHEELS; i++)
        squeeze_m[i] = c->tyres.radius_m[i] - loaded_m[i];
    tyre_load(&c->tyres, squeeze_m, still, still, c->inflation_Pa, got_N, rate_Npm, unused);
    r->load_N = load_N;
    r->radius_m = loaded_m[wheel];
    r->tyre_Npm = rate_Npm[wheel];
    r->bar_Npm = c->bar_Npm[wheel];
    *travel_m = rest_travel_m(c, axle, r);
    r->wheel_Npm = -(travel_N(c, axle, load_N, r->radius_m, *travel_m + d_m) -
                     travel_N(c, axle, load_N, r->radius_m, *travel_m - d_m)) /
                   (2.0 * d_m);
    corner_at(&c->axle[axle].kin, *travel_m, 0.0, 1.0, &r->left);
    struct vec3 arm = corner_arm_m(&r->left, r->radius_m);
    r->path = v3_add(r->left.hub_z, v3_cross(r->left.turn_z, arm));
    r->contact_y_m = r->left.hub_m.y + arm.y;
}

/* (P-7), (P-8), (P-10) */
static void axle_of_rest(const struct chassis *c, const struct rest *r, int axle,
                         struct two_track_axle *a)
{
    double half_m = r->contact_y_m, lift = r->path.z;
    double unsprung_kg = 2.0 * c->unsprung_kg[first_of(axle)];
    a->x_m = r->left.hub_m.x - c->cg_m.x;
    a->track_m = 2.0 * half_m;
    a->per_half_1pm = 1.0 / half_m;
    a->load_N = 2.0 * r->load_N;
    a->geometric_m = r->path.y / lift * half_m;
    a->unsprung_m = -r->left.hub_z.y / lift * half_m * unsprung_kg / c->total_kg;
    a->stiff_Nmprad = 2.0 * half_m * half_m * (r->wheel_Npm + 2.0 * r->bar_Npm) / (lift * lift);
    a->tyre_1pNm = 1.0 / (2.0 * half_m * half_m * r->tyre_Npm);
    a->give = 1.0 / (1.0 + a->stiff_Nmprad * a->tyre_1pNm);
    a->travel_mprad = half_m / lift;
    a->rate_mpN = 0.5 / r->wheel_Npm;
    a->lift = lift;
    a->slide = r->left.hub_z.x;
    a->unsprung = unsprung_kg / c->total_kg;
    a->turn_1pm = v3_dot(r->left.turn_z, r->left.axis);
    a->squash_mpN = 0.5 / r->tyre_Npm;
}

/* One wheel's lane of a point of the table. */
static void corner_lane(const struct kinematics_model *k, double travel_m, double rack_m, int wheel,
                        double point[TRACK_QUANTITIES][WHEELS])
{
    struct kinematics_out o;
    kinematics_at(k, travel_m, rack_m, wheel % 2 == 0 ? 1.0 : -1.0, &o);
    const double value[TRACK_QUANTITIES] = {
        [TRACK_HUB_X] = o.f[KIN_HUB_X],      [TRACK_HUB_Y] = o.f[KIN_HUB_Y],
        [TRACK_TOE] = o.f[KIN_TOE],          [TRACK_CAMBER] = o.f[KIN_CAMBER],
        [TRACK_TOE_Z] = o.fz[KIN_TOE],       [TRACK_CAMBER_Z] = o.fz[KIN_CAMBER],
        [TRACK_HUB_XS] = o.fs[KIN_HUB_X],    [TRACK_HUB_YS] = o.fs[KIN_HUB_Y],
        [TRACK_HUB_ZS] = o.fs[KIN_HUB_Z],    [TRACK_TOE_S] = o.fs[KIN_TOE],
        [TRACK_CAMBER_S] = o.fs[KIN_CAMBER], [TRACK_PITCH_S] = o.fs[KIN_PITCH],
    };
    for (int q = 0; q < TRACK_QUANTITIES; q++)
        point[q][wheel] = value[q];
}

/* (P-4) */
static void corners_of(const struct chassis *c, struct two_track_model *m)
{
    const struct kinematics_model *f = &c->axle[FRONT].kin;
    struct two_track_steer *t = &m->steer;
    double last_m = f->rack0_m + (f->rack_points - 1) * f->rack_step_m;
    t->end_m = fmax(fabs(f->rack0_m), fabs(last_m));
    t->per_1pm = (TRACK_POINTS - 1) / (2.0 * t->end_m);
    for (int i = 0; i < WHEELS; i++) {
        const struct kinematics_model *k = &c->axle[axle_of(i)].kin;
        for (int n = 0; n < TRACK_POINTS; n++)
            corner_lane(k, m->travel_m[axle_of(i)],
                        t->end_m * (2.0 * n - (TRACK_POINTS - 1)) / (TRACK_POINTS - 1), i,
                        t->point[n]);
        struct kinematics_out o;
        kinematics_at(k, 0.0, 0.0, i % 2 == 0 ? 1.0 : -1.0, &o);
        m->hub_m[i][0] = o.f[KIN_HUB_X];
        m->hub_m[i][1] = o.f[KIN_HUB_Y];
        m->hub_m[i][2] = o.f[KIN_HUB_Z];
        m->place_x_m[i] = o.f[KIN_HUB_X] - c->cg_m.x;
        m->place_y_m[i] = o.f[KIN_HUB_Y] - c->cg_m.y;
    }
}

static double distance2_m2(struct vec3 a, struct vec3 b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static void body_of(const struct chassis *c, const struct rest rest[AXLES],
                    struct two_track_model *m)
{
    m->yaw_kgm2 = c->inertia_kgm2[2] + c->sprung_kg * distance2_m2(c->sprung_cg_m, c->cg_m);
    for (int i = 0; i < WHEELS; i++)
        m->yaw_kgm2 += c->unsprung_kg[i] * distance2_m2(vec3_of(m->hub_m[i]), c->cg_m);
    /* How high the body's frame is over each axle. */
    const struct vec3 *hf = &rest[FRONT].left.hub_m, *hr = &rest[REAR].left.hub_m;
    double high_f = rest[FRONT].radius_m - hf->z, high_r = rest[REAR].radius_m - hr->z;
    double slope = (high_f - high_r) / (hf->x - hr->x), base_m = hf->x - hr->x;
    m->height_m = high_r + slope * (c->cg_m.x - hr->x) + c->cg_m.z;
    m->pitch_rad = -atan(slope);
    m->per_base_1pm = 1.0 / base_m;
    /* (P-9): the body hangs over its roll axis. */
    double along = (c->sprung_cg_m.x - hr->x) / (hf->x - hr->x);
    double axis_m = m->axle[REAR].geometric_m +
                    along * (m->axle[FRONT].geometric_m - m->axle[REAR].geometric_m);
    double arm_m = high_r + slope * (c->sprung_cg_m.x - hr->x) + c->sprung_cg_m.z - axis_m;
    double stiff = -c->sprung_kg * c->gravity_mps2 * arm_m;
    for (int k = 0; k < AXLES; k++)
        stiff += m->axle[k].give * m->axle[k].stiff_Nmprad;
    m->roll_radpNm = 1.0 / stiff;
}

static void take(const struct chassis *c, struct two_track_model *m)
{
    m->gravity_mps2 = c->gravity_mps2;
    m->total_kg = c->total_kg;
    m->sprung_kg = c->sprung_kg;
    m->body_yaw_kgm2 = c->inertia_kgm2[2];
    m->cg_m = c->cg_m;
    m->sprung_cg_m = c->sprung_cg_m;
    memcpy(m->wheel_kgm2, c->wheel_kgm2, sizeof m->wheel_kgm2);
    memcpy(m->inflation_Pa, c->inflation_Pa, sizeof m->inflation_Pa);
    m->tyres = c->tyres;
    memcpy(m->weather_tyres, c->weather_tyres, sizeof m->weather_tyres);
    m->weathers = c->weathers;
    m->slip = c->slip;
    m->brake = c->brake;
    m->hydraulics = c->hydraulics;
    m->driveline = c->driveline;
    m->steering = c->steering;
    m->aero = c->aero;
    m->hull = c->hull;
}

const char *two_track_derive(const struct chassis *c, struct two_track_model *m)
{
    struct rest rest[AXLES];
    struct corner f, r;
    double weight_N = c->total_kg * c->gravity_mps2;
    take(c, m);
    corner_at(&c->axle[FRONT].kin, 0.0, 0.0, 1.0, &f);
    corner_at(&c->axle[REAR].kin, 0.0, 0.0, 1.0, &r);
    double share = (c->cg_m.x - r.hub_m.x) / (f.hub_m.x - r.hub_m.x);
    rest_of(c, FRONT, 0.5 * weight_N * share, &m->travel_m[FRONT], &rest[FRONT]);
    rest_of(c, REAR, 0.5 * weight_N * (1.0 - share), &m->travel_m[REAR], &rest[REAR]);
    for (int a = 0; a < AXLES; a++) {
        axle_of_rest(c, &rest[a], a, &m->axle[a]);
        if (!(rest[a].wheel_Npm > 0.0))
            return "the springs of an axle are too soft for its geometry: its wheels have no rest";
    }
    corners_of(c, m);
    body_of(c, rest, m);
    if (!(m->roll_radpNm > 0.0))
        return "springs and bars do not hold the body upright: it would fall over at rest";
    return NULL;
}
