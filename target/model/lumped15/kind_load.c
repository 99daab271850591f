/* lumped15 as a kind of model: from the file, and what can be studied of it. */
#include "target/model/lumped15/lumped15_load.h"
#include "target/model/lumped15/steady_load.h"
#include "target/model/lumped15/stiffness_load.h"

#include <math.h>
#include <stdlib.h>

/* Forward Euler takes the substeps its fastest mode asks for, or the car is refused. */
static void choose_substeps(const struct cfg_node *root, double step_s, struct lumped15_model *m)
{
    struct stiffness s;
    if (m->integrator != MODEL_FORWARD)
        return;
    if (stiffness_of(m, 0.0, &s)) {
        cfg_complain(root, "integrator", "the car could not be linearised: use semi-implicit");
        return;
    }
    int n = stiffness_substeps(&s, step_s);
    if (n > LUMPED15_SUBSTEPS_MAX)
        cfg_complain(root, "integrator",
                     "forward Euler needs %d substeps at %g ms (%g m/s, %g times the load), at "
                     "most %d are allowed: use semi-implicit or a shorter step",
                     n, 1e3 * step_s, s.tightest.speed_mps, s.tightest.load, LUMPED15_SUBSTEPS_MAX);
    else
        m->substeps = n > 1 ? n : 1;
}

static void *load(const struct cfg_node *root, const struct model_options *options, size_t *bytes)
{
    _Static_assert(_Alignof(struct lumped15_model) <= MODEL_ALIGNMENT, "fits its alignment");
    size_t blocks = (sizeof(struct lumped15_model) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT;
    struct lumped15_model *m = aligned_alloc(MODEL_ALIGNMENT, blocks * MODEL_ALIGNMENT);
    if (!m)
        return NULL;
    *bytes = sizeof *m;
    if (lumped15_load(root, options->setup, m)) {
        free(m);
        return NULL;
    }
    if (options->integrator != MODEL_AS_FILE)
        m->integrator = options->integrator;
    if (cfg_ok(cfg_doc_of(root)))
        choose_substeps(root, options->step_s, m);
    return m;
}

/* ---- skidpad check */

static void print_stiffness(const struct stiffness *s, double step_s, FILE *to)
{
    static const double steps_ms[] = {1.0, 0.5, 0.2, 0.1, 0.05};
    double growth = -INFINITY;
    fprintf(to, "  fastest eigenvalue in 1/s (and longest step of forward Euler in ms)\n");
    fprintf(to, "    speed km/h");
    for (int k = 0; k < STIFFNESS_LOADS; k++)
        fprintf(to, "     load x %.1f      ", s->point[k].load);
    fprintf(to, "\n");
    for (int i = 0; i < s->count; i++) {
        const struct stiffness_point *p = &s->point[i];
        if (i % STIFFNESS_LOADS == 0)
            fprintf(to, "    %10.1f", 3.6 * p->speed_mps);
        fprintf(to, "  %7.0f (%7.3f) ", p->fastest_1ps, 1e3 * p->forward_s);
        if (i % STIFFNESS_LOADS == STIFFNESS_LOADS - 1)
            fprintf(to, "\n");
        if (p->load <= 1.0 && p->load >= 1.0)
            growth = fmax(growth, p->growth);
    }
    fprintf(to, "  forward Euler takes");
    for (size_t i = 0; i < sizeof steps_ms / sizeof steps_ms[0]; i++)
        fprintf(to, "%s %d at %g ms", i ? "," : "", stiffness_substeps(s, 1e-3 * steps_ms[i]),
                steps_ms[i]);
    fprintf(to, " substeps\n");
    fprintf(to,
            "  semi-implicit Euler at %g ms: fastest growing mode at static load %.2g 1/s (%s)\n",
            1e3 * step_s, growth, growth < 1e-3 ? "stable" : "grows");
}

static int check(const void *model, double step_s, FILE *to)
{
    struct stiffness s;
    int bad = stiffness_of(model, step_s, &s);
    if (!bad)
        print_stiffness(&s, step_s, to);
    return bad;
}

const struct model_kind lumped15_kind = {
    .ops = &lumped15_ops,
    .load = load,
    .setup = (1u << SETUP_COUNT) - 1,
    .check = check,
    .steady = &lumped15_steady,
};
