/* two_track as a kind of model: from the file, and what can be studied of it. */
#include "target/model/chassis_load.h"
#include "target/model/footing.h"
#include "target/model/two_track/derive_load.h"
#include "target/model/two_track/two_track_load.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double deg = 3.14159265358979323846 / 180.0;

static void read_car(const struct cfg_node *root, const struct model_options *options,
                     const struct chassis *c, struct two_track_model *m)
{
    int integrator = options->integrator != MODEL_AS_FILE ? options->integrator : c->integrator;
    if (integrator != MODEL_SEMI_IMPLICIT)
        cfg_complain(root, "integrator",
                     "the model two_track has the semi-implicit step only: leave it out");
    if (!cfg_ok(cfg_doc_of(root)))
        return;
    const char *why = two_track_derive(c, m);
    if (why)
        cfg_complain(root, "model", "%s", why);
}

static struct two_track_model *new_model(void)
{
    _Static_assert(_Alignof(struct two_track_model) <= MODEL_ALIGNMENT, "fits its alignment");
    size_t blocks = (sizeof(struct two_track_model) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT;
    return aligned_alloc(MODEL_ALIGNMENT, blocks * MODEL_ALIGNMENT);
}

static void *load(const struct cfg_node *root, const struct model_options *options, size_t *bytes)
{
    struct two_track_model *m = new_model();
    struct chassis *c = m ? chassis_load(root, options->setup) : NULL;
    if (!c) {
        free(m);
        return NULL;
    }
    *bytes = sizeof *m;
    memset(m, 0, sizeof *m);
    read_car(root, options, c, m);
    free(c);
    return m;
}

/* ---- skidpad check */

enum { N = TWO_TRACK_MOTION + 1 };

static void level(const void *road, double x_m, double y_m, struct ground_point *out)
{
    (void)road;
    (void)x_m;
    (void)y_m;
    *out = (struct ground_point){.normal = {0.0, 0.0, 1.0}, .friction = 1.0};
}

/* The largest |eigenvalue| of the equations at a speed, straight ahead. */
static int fastest_1ps(const struct two_track_model *m, double speed_mps, double *out)
{
    static const struct ground ground = {NULL, level};
    const struct plant_in in = {.gear = PLANT_GEAR_NEUTRAL};
    const struct plant_start start = {.speed_mps = speed_mps};
    struct two_track_state s, at;
    double x[N], up[N] = {0.0}, down[N] = {0.0}, J[N * N], re[N], im[N];
    two_track_reset(m, &s, &start, &ground);
    two_track_ops.x_get(m, &s, x);
    for (int k = 0; k < N; k++) {
        double keep = x[k], d = 1e-6 * (1.0 + fabs(keep));
        for (int sign = -1; sign <= 1; sign += 2) {
            at = s;
            x[k] = keep + sign * d;
            two_track_ops.x_set(m, &at, x);
            two_track_ops.deriv(m, &at, &in, &ground, sign > 0 ? up : down);
        }
        x[k] = keep;
        for (int i = 0; i < N; i++)
            J[k * N + i] = (up[i] - down[i]) / (2.0 * d);
    }
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', N, J, N, re, im, NULL, 1, NULL, 1))
        return -EDOM;
    *out = 0.0;
    for (int k = 0; k < N; k++)
        *out = fmax(*out, hypot(re[k], im[k]));
    return 0;
}

/* How the car leans, per weight of lateral force at its centre of gravity. */
struct leaning {
    double stiff_Nmprad[AXLES]; /* with tyres */
    double roll_rad;
    double lifts; /* lateral force over weight at which a side leaves the ground, (P-12) */
};

static void lean_of(const struct two_track_model *m, struct leaning *l)
{
    double weight_N = m->total_kg * m->gravity_mps2, carried_m = 0.0, most_Nm = 0.0;
    for (int k = 0; k < AXLES; k++) {
        const struct two_track_axle *a = &m->axle[k];
        l->stiff_Nmprad[k] = a->give * a->stiff_Nmprad;
        carried_m += a->give * (a->geometric_m * a->load_N / weight_N + a->unsprung_m);
        most_Nm += a->load_N / a->per_half_1pm;
    }
    l->roll_rad = m->roll_radpNm * weight_N * (m->height_m - carried_m);
    double stiff = l->stiff_Nmprad[FRONT] + l->stiff_Nmprad[REAR];
    l->lifts = most_Nm / (carried_m * weight_N + stiff * l->roll_rad);
}

static void print_leaning(const struct two_track_model *m, FILE *to)
{
    const struct two_track_axle *f = &m->axle[FRONT], *r = &m->axle[REAR];
    struct leaning l;
    lean_of(m, &l);
    fprintf(to,
            "  roll        springs and bars %.0f front, %.0f rear Nm/deg; with tyres %.0f and %.0f "
            "(front %.1f %%)\n",
            f->stiff_Nmprad * deg, r->stiff_Nmprad * deg, l.stiff_Nmprad[FRONT] * deg,
            l.stiff_Nmprad[REAR] * deg,
            100.0 * l.stiff_Nmprad[FRONT] / (l.stiff_Nmprad[FRONT] + l.stiff_Nmprad[REAR]));
    fprintf(to,
            "  roll centre %.3f m front, %.3f m rear; roll %.2f deg per g; a side lifts at %.2f "
            "g\n",
            f->geometric_m, r->geometric_m, l.roll_rad / deg, l.lifts);
}

static int print_fastest(const struct two_track_model *m, FILE *to)
{
    static const double speeds_mps[] = {0.5, 5.0, 15.0, 35.0};
    int bad = 0;
    fprintf(to, "  fastest eigenvalue in 1/s:");
    for (size_t i = 0; i < sizeof speeds_mps / sizeof speeds_mps[0] && !bad; i++) {
        double fastest = 0.0;
        bad = fastest_1ps(m, speeds_mps[i], &fastest);
        fprintf(to, "%s %.0f at %.0f km/h", i ? "," : "", fastest, 3.6 * speeds_mps[i]);
    }
    fprintf(to, "\n");
    return bad;
}

static int check(const void *model, double step_s, FILE *to)
{
    struct two_track_model *m = new_model();
    struct car_facts facts;
    struct footing f;
    (void)step_s; /* stable at any */
    if (!m)
        return -ENOMEM;
    memcpy(m, model, sizeof *m);
    two_track_facts(m, &facts);
    footing_of(&facts, &f);
    print_leaning(m, to);
    fprintf(to, "  understeer  %.2f deg per g, of the tyres alone\n",
            f.understeer_s2pm * m->gravity_mps2 / deg);
    /* Dry friction has no slope, and hydraulics are no part of the motion. */
    m->hydraulics.on = 0;
    m->steering.rack_friction_N = 0.0;
    m->driveline.lock_Nm[FRONT] = m->driveline.lock_Nm[REAR] = 0.0;
    int bad = print_fastest(m, to);
    free(m);
    return bad;
}

#define BIT(name) (1u << SETUP_##name)

const struct model_kind two_track_kind = {
    .ops = &two_track_ops,
    .load = load,
    .setup = BIT(front_spring) | BIT(rear_spring) | BIT(front_bar) | BIT(rear_bar) |
             BIT(front_toe_in_rad) | BIT(rear_toe_in_rad) | BIT(front_camber_rad) |
             BIT(rear_camber_rad),
    .needs_plane = true,
    .check = check,
};
