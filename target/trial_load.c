/* Which trials: scenarios and suites. */
#include "target/scenario/expr_load.h"
#include "target/trial.h"

#include <errno.h>
#include <string.h>

static struct trial *next(struct trials *t, const char *path)
{
    if (t->count == TRIALS) {
        fprintf(stderr, "skidpad test: %s: at most %d manoeuvres at a time\n", path, TRIALS);
        return NULL;
    }
    struct trial *one = &t->trial[t->count++];
    memset(one, 0, sizeof *one);
    one->integrator = VEHICLE_AS_FILE;
    return one;
}

/* "slalom" of config/scenarios/slalom.yaml. */
static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    (void)snprintf(name, size, "%.*s", length, base);
}

/* Numbers with their unit for parameters of the scenario. */
static void names_load(const struct cfg_node *n, struct trial *one)
{
    const struct cfg_node *map = cfg_map(n, "parameters");
    for (size_t i = 0; i < cfg_key_count(map); i++) {
        const char *key = cfg_key(map, i), *text = cfg_text(cfg_value(map, key));
        struct expr e;
        struct err err = {""};
        if (!text || expr_compile(text, EXPR_MEASURE, NULL, &e, &err) || e.reductions > 0)
            cfg_complain(map, key, "must be a number with its unit, e.g. 30 deg%s%s",
                         err.text[0] ? ": " : "", err.text);
        else if (!parameters_set(&one->parameters, key, expr_number(&e, NULL), e.dim))
            cfg_complain(map, key, "more than %d parameters", PARAMETERS);
        else
            one->parameter_at[one->parameters.count - 1] = cfg_mark_of(map, key);
    }
    cfg_done(map);
}

static void expect(struct trial *one, const struct cfg_node *at, const char *word)
{
    one->expect_at[one->expected] = cfg_mark_of(at, NULL);
    (void)snprintf(one->expect_fail[one->expected++], VERDICT_WORD, "%s", word);
}

static void entry_load(const struct cfg_node *n, struct trial *one)
{
    static const char *const integrators[] = {"forward", "semi-implicit", NULL};
    cfg_need(n, "scenario");
    cfg_path(n, "scenario", one->scenario, sizeof one->scenario);
    name_of(one->scenario, one->name, sizeof one->name);
    cfg_string(n, "name", one->name, sizeof one->name);
    one->is_named = cfg_has(n, "name");
    cfg_path(n, "vehicle", one->vehicle, sizeof one->vehicle);
    cfg_choice(n, "integrator", &one->integrator, integrators);
    scenario_unit_load(n, &one->unit);
    names_load(n, one);
    const struct cfg_node *list = cfg_list(n, "expect_fail");
    for (size_t i = 0; i < cfg_count(list); i++) {
        const char *word = cfg_text(cfg_item(list, i));
        if (!word || i >= TRIAL_EXPECTED)
            cfg_complain(n, "expect_fail", "must be a list of at most %d names of criteria",
                         TRIAL_EXPECTED);
        else
            expect(one, cfg_item(list, i), word);
    }
    cfg_done(n);
}

static void suite_load(const struct cfg_node *root, struct trials *t, const char *path)
{
    struct scenario_unit unit = {0};
    char name[TRIAL_NAME];
    cfg_string(root, "name", name, sizeof name);
    scenario_unit_load(root, &unit);
    cfg_need(root, "manoeuvres");
    const struct cfg_node *list = cfg_list(root, "manoeuvres");
    if (list && cfg_count(list) == 0)
        cfg_complain(root, "manoeuvres", "at least one is needed: nothing would pass");
    for (size_t i = 0; i < cfg_count(list); i++) {
        struct trial *one = next(t, path);
        if (!one)
            break;
        one->unit = unit;
        (void)snprintf(one->suite, sizeof one->suite, "%s", path);
        entry_load(cfg_item(list, i), one);
    }
    cfg_done(root);
}

int trials_add(struct trials *t, const char *path)
{
    static const char *const kinds[] = {"scenario", "suite", NULL};
    struct cfg_doc *doc = NULL;
    int kind = -1, bad = cfg_open(path, &doc);
    if (!bad) {
        cfg_need(cfg_root(doc), "kind");
        cfg_choice(cfg_root(doc), "kind", &kind, kinds);
        if (kind == 1)
            suite_load(cfg_root(doc), t, path);
        bad = cfg_ok(doc) ? 0 : -EINVAL;
    }
    if (doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad || kind == 1)
        return bad;
    struct trial *one = next(t, path);
    if (!one)
        return -E2BIG;
    if (snprintf(one->scenario, sizeof one->scenario, "%s", path) >= (int)sizeof one->scenario) {
        fprintf(stderr, "%s: the name is too long, at most %zu bytes are allowed\n", path,
                sizeof one->scenario - 1);
        return -ENAMETOOLONG;
    }
    name_of(path, one->name, sizeof one->name);
    return 0;
}
