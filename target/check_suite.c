#include "target/check_suite.h"

#include "target/trial.h"
#include "target/trial_unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_car(const char *path, double step_s)
{
    const struct vehicle_options options = {.step_s = step_s, .integrator = VEHICLE_AS_FILE};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    int bad = vehicle_load(path, &options, &v, &doc);
    if (doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    free(v);
    return bad;
}

static int check_unit(const struct trial *t, const struct scenario *sc, const char *car)
{
    struct trial_unit_files f;
    if (trial_unit_choose(&t->unit, &sc->unit, car, &f))
        return -ENOENT;
    const char *const names[] = {f.params, f.bus};
    for (int i = 0; i < 2 && f.params[0]; i++)
        if (access(names[i], R_OK) != 0) {
            fprintf(stderr, "%s: cannot be read, it is of the unit of \"%s\"\n", names[i], t->name);
            return -ENOENT;
        }
    return 0;
}

static bool has_measure(const struct verdict *v, const char *name)
{
    for (int i = 0; v && i < v->measures; i++)
        if (strcmp(v->measure[i].name, name) == 0)
            return true;
    return false;
}

int check_befores(const struct scenario *sc)
{
    int bad = 0;
    for (int i = 0; !bad && i < sc->plan.befores; i++) {
        const struct before *b = &sc->plan.before[i];
        struct scenario *first = NULL;
        struct cfg_doc *doc = NULL;
        bad = scenario_load(b->scenario, &first, &doc);
        if (doc)
            cfg_print_messages(doc, stderr);
        cfg_close(doc);
        if (!bad && !has_measure(first->verdict, b->measure)) {
            fprintf(stderr, "%s: has no measure \"%s\", which is taken from it\n", b->scenario,
                    b->measure);
            bad = -EINVAL;
        }
        scenario_free(first);
    }
    return bad;
}

static int check_trial(const struct trial *t)
{
    const char *car = t->vehicle[0] ? t->vehicle : NULL;
    const struct scenario_given given = {.parameters = &t->parameters, .vehicle = car};
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    int bad = scenario_load_given(t->scenario, &given, &sc, &doc);
    if (doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad)
        return bad;
    car = car ? car : sc->vehicle;
    bool judges = sc->verdict && sc->verdict->criteria > 0;
    if (!judges)
        fprintf(stderr, "%s: has no `pass`: nothing to judge\n", t->scenario);
    if (!judges || !trial_knows_names(t, &sc->parameters) || !trial_knows_expected(t, sc->verdict))
        bad = -EINVAL;
    if (!bad)
        bad = check_befores(sc);
    if (!bad)
        bad = check_car(car, sc->step_s);
    if (!bad)
        bad = check_unit(t, sc, car);
    scenario_free(sc);
    return bad;
}

int check_suite(const char *path, int *manoeuvres)
{
    struct trials *t = calloc(1, sizeof *t);
    int bad = t ? trials_add(t, path) : -ENOMEM;
    for (int i = 0; !bad && i < t->count; i++)
        bad = check_trial(&t->trial[i]);
    *manoeuvres = t ? t->count : 0;
    free(t);
    return bad;
}
