#include "target/model/lumped15/vehicle_load.h"

#include "target/model/lumped15/lumped15_load.h"
#include "target/model/lumped15/stiffness_load.h"
#include "target/model/sensors_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Forward Euler takes the substeps its fastest mode asks for, or the car is refused. */
static void choose_substeps(const struct cfg_node *root, const struct vehicle_options *options,
                            struct lumped15_model *m)
{
    struct stiffness s;
    if (m->integrator != LUMPED15_FORWARD)
        return;
    if (stiffness_of(m, 0.0, &s)) {
        cfg_complain(root, "integrator", "the car could not be linearised: use semi-implicit");
        return;
    }
    int n = stiffness_substeps(&s, options->step_s);
    if (n > LUMPED15_SUBSTEPS_MAX)
        cfg_complain(root, "integrator",
                     "forward Euler needs %d substeps at %g ms (%g m/s, %g times the load), at "
                     "most %d are allowed: use semi-implicit or a shorter step",
                     n, 1e3 * options->step_s, s.tightest.speed_mps, s.tightest.load,
                     LUMPED15_SUBSTEPS_MAX);
    else
        m->substeps = n > 1 ? n : 1;
}

static void read_vehicle(const struct cfg_node *root, const struct vehicle_options *options,
                         struct vehicle *v)
{
    static const char *const models[] = {"lumped15", NULL};
    int one = 0;
    if (!cfg_kind(root, "vehicle"))
        return;
    cfg_need(root, "model");
    cfg_choice(root, "model", &one, models);
    cfg_need(root, "name");
    cfg_string(root, "name", v->name, sizeof v->name);
    v->setup = options->setup ? *options->setup : setup_neutral;
    lumped15_load(root, &v->setup, &v->car);
    sensors_defaults(&v->sensors);
    v->sensors.gravity_mps2 = v->car.gravity_mps2;
    int bad = sensors_load(cfg_map(root, "sensors"), options->step_s, &v->sensors);
    if (bad && !cfg_has(root, "sensors"))
        cfg_complain(root, NULL, "the step of %g s does not suit the sensors", options->step_s);
    cfg_done(root);
}

/* The car of an open document. */
static int load_doc(const struct vehicle_options *options, struct vehicle **out,
                    struct cfg_doc *doc)
{
    int bad = cfg_apply(doc, options->change, options->changes);
    if (bad)
        return bad;
    /* The tyres' tables are aligned for vectors, more than malloc promises. */
    struct vehicle *v = aligned_alloc(_Alignof(struct vehicle), sizeof *v);
    if (!v) {
        cfg_complain(cfg_root(doc), NULL, "out of memory");
        return -ENOMEM;
    }
    memset(v, 0, sizeof *v);
    read_vehicle(cfg_root(doc), options, v);
    if (options->integrator != VEHICLE_AS_FILE)
        v->car.integrator = options->integrator;
    if (cfg_ok(doc))
        choose_substeps(cfg_root(doc), options, &v->car);
    if (!cfg_ok(doc)) {
        free(v);
        return -EINVAL;
    }
    v->content = cfg_content_hash(doc);
    *out = v;
    return 0;
}

int vehicle_load(const char *path, const struct vehicle_options *options, struct vehicle **out,
                 struct cfg_doc **doc)
{
    *out = NULL;
    int bad = cfg_open(path, doc);
    return bad ? bad : load_doc(options, out, *doc);
}

int vehicle_load_text(const char *path, const char *text, size_t length,
                      const struct vehicle_options *options, struct vehicle **out,
                      struct cfg_doc **doc)
{
    *out = NULL;
    int bad = cfg_open_text(path, text, length, doc);
    return bad ? bad : load_doc(options, out, *doc);
}
