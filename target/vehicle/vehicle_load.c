#include "target/vehicle/vehicle_load.h"

#include "target/model/sensors_load.h"
#include "target/vehicle/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS_MAX = 16 };

/* The kind that the file names; the first one after a message. */
static const struct model_kind *find_kind(const struct cfg_node *root)
{
    const char *names[MODELS_MAX + 1];
    int count = 0, one = 0;
    while (count < MODELS_MAX && model_registry[count]) {
        names[count] = model_registry[count]->ops->name;
        count++;
    }
    names[count] = NULL;
    cfg_need(root, "model");
    cfg_choice(root, "model", &one, names);
    return model_registry[one];
}

static void read_sensors(const struct cfg_node *root, double step_s, struct vehicle *v)
{
    sensors_defaults(&v->sensors);
    v->sensors.gravity_mps2 = v->facts.gravity_mps2;
    int bad = sensors_load(cfg_map(root, "sensors"), step_s, &v->sensors);
    if (bad && !cfg_has(root, "sensors"))
        cfg_complain(root, NULL, "the step of %g s does not suit the sensors", step_s);
}

static struct vehicle *read_vehicle(const struct cfg_node *root,
                                    const struct vehicle_options *options)
{
    const struct setup *setup = options->setup ? options->setup : &setup_neutral;
    const struct model_options model_options = {
        .step_s = options->step_s, .integrator = options->integrator, .setup = setup};
    if (!cfg_kind(root, "vehicle"))
        return NULL;
    const struct model_kind *kind = find_kind(root);
    char name[VEHICLE_NAME] = "";
    size_t bytes = 0;
    cfg_need(root, "name");
    cfg_string(root, "name", name, sizeof name);
    void *model = kind->load(root, &model_options, &bytes);
    struct vehicle *v = model ? vehicle_new(bytes) : NULL;
    if (v) {
        memcpy(v->name, name, sizeof v->name);
        v->setup = *setup;
        if (cfg_ok(cfg_doc_of(root))) /* a model that is not whole has no facts */
            vehicle_settle(v, kind, model);
        read_sensors(root, options->step_s, v);
        cfg_done(root);
    } else {
        cfg_complain(root, NULL, "out of memory");
    }
    free(model);
    return v;
}

/* The car of an open document. */
static int load_doc(const struct vehicle_options *options, struct vehicle **out,
                    struct cfg_doc *doc)
{
    int bad = cfg_apply(doc, options->change, options->changes);
    if (bad)
        return bad;
    struct vehicle *v = read_vehicle(cfg_root(doc), options);
    if (!v || !cfg_ok(doc)) {
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
