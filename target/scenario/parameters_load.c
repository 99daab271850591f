#include "target/scenario/parameters_load.h"

#include "target/scenario/expr_load.h"
#include "target/scenario/expr_load_unit.h"
#include "target/vehicle/vehicle_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a value of this file comes from. */
struct reader {
    const struct parameters *given;
    struct parameters *known; /* parameters so far, and the car's numbers */
    struct parameters all;
    const char *vehicle;
    bool car_read;
};

static int evaluate(const struct parameters *p, const char *text, double *value,
                    struct expr_dim *dim, struct err *e)
{
    const char *names[PARAMETERS];
    struct expr compiled;
    for (int i = 0; i < p->count; i++)
        names[i] = p->name[i];
    const struct expr_scope scope = {
        .named = names, .named_dim = p->dim, .names = (size_t)p->count};
    int bad = expr_compile(text, EXPR_MEASURE, &scope, &compiled, e);
    if (bad)
        return bad;
    if (compiled.reductions > 0)
        return err_set(e, -EINVAL, "a number is wanted here: there is no drive yet to reduce");
    *value = expr_number(&compiled, p->value);
    *dim = compiled.dim;
    return isfinite(*value) ? 0 : err_set(e, -ERANGE, "the result is not a finite number");
}

static bool same_dim(struct expr_dim a, struct expr_dim b)
{
    return a.m == b.m && a.kg == b.kg && a.s == b.s;
}

/* Numbers of the document written as `=expression`. They count in the unit of their key, which may
 * be another than SI: only plain numbers, and base units, cannot be mistaken. */
static int compute(void *self, const char *text, double *value, char *why, size_t size)
{
    struct err e = {""};
    struct expr_dim dim;
    char unit[48];
    int bad = evaluate(self, text, value, &dim, &e);
    if (!bad && abs(dim.m) + abs(dim.kg) + abs(dim.s) > 1) {
        expr_dim_name(dim, unit, sizeof unit);
        bad = err_set(&e, -EINVAL,
                      "is in %s: divide it by the unit of this key, as in =speed / 1 km/h", unit);
    }
    if (bad)
        (void)snprintf(why, size, "%s", e.text);
    return bad;
}

static const struct expr_dim plain = {0, 0, 0, 0}, metre = {1, 0, 0, 0}, kilogram = {0, 1, 0, 0};

/* The car's numbers, by names that begin with car_. */
static void read_car(struct reader *r, const struct cfg_node *at)
{
    const struct vehicle_options options = {.step_s = 1e-3, .integrator = VEHICLE_AS_FILE};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    r->car_read = true;
    struct plant_out at_rest;
    if (vehicle_load(r->vehicle, &options, &v, &doc) == 0 && vehicle_at_rest(v, &at_rest) == 0) {
        const struct car_facts *c = &v->facts;
        struct parameters *p = &r->all;
        double rear_m = c->hub_m[RL][0], base_m = c->hub_m[FL][0] - rear_m;
        (void)parameters_set(p, "car_width_m", 2.0 * c->hull->half_m.y, metre);
        (void)parameters_set(p, "car_length_m", 2.0 * c->hull->half_m.x, metre);
        (void)parameters_set(p, "car_mass_kg", c->total_kg, kilogram);
        (void)parameters_set(p, "car_wheelbase_m", base_m, metre);
        (void)parameters_set(p, "car_cg_height_m", at_rest.pos_m[2], metre);
        (void)parameters_set(p, "car_front_share", (c->cg_m.x - rear_m) / base_m, plain);
    } else if (doc) {
        for (size_t i = 0; i < cfg_message_count(doc); i++)
            cfg_complain(at, NULL, "%s", cfg_message(doc, i));
    }
    cfg_close(doc);
    free(v);
}

/* The expression of a scalar; complains and returns false if there is none. */
static bool value_of(struct reader *r, const struct cfg_node *node, const char *what, double *value,
                     struct expr_dim *dim)
{
    struct err e = {""};
    const char *text = cfg_text(node);
    if (!text) {
        cfg_complain(node, NULL, "%s must be a number or an expression", what);
        return false;
    }
    text += *text == '=';
    if (!r->car_read && strstr(text, "car_"))
        read_car(r, node);
    if (evaluate(&r->all, text, value, dim, &e) == 0)
        return true;
    cfg_complain(node, NULL, "%s: %s", what, e.text);
    return false;
}

static void keep(struct reader *r, const struct cfg_node *at, const char *name, double value,
                 struct expr_dim dim)
{
    int given = r->given ? parameters_find(r->given, name) : -1;
    if (given >= 0 && !same_dim(dim, r->given->dim[given])) {
        char own[48], other[48];
        expr_dim_name(dim, own, sizeof own);
        expr_dim_name(r->given->dim[given], other, sizeof other);
        cfg_complain(at, NULL, "%s is in %s here, but set to something in %s", name, own, other);
    }
    if (given >= 0) {
        value = r->given->value[given];
        dim = r->given->dim[given];
    }
    if (signal_find(name) >= 0 || strncmp(name, "car_", 4) == 0)
        cfg_complain(at, NULL, "\"%s\" is the name of a signal or of the car", name);
    else if (!parameters_set(&r->all, name, value, dim) ||
             !parameters_set(r->known, name, value, dim))
        cfg_complain(at, NULL, "more than %d parameters", PARAMETERS);
}

/* Parameters for a drive before. */
static void set_load(const struct cfg_node *n, struct reader *r, struct parameters *set)
{
    for (size_t i = 0; i < cfg_key_count(n); i++) {
        double value = 0.0;
        struct expr_dim dim = plain;
        const char *key = cfg_key(n, i);
        if (value_of(r, cfg_value(n, key), key, &value, &dim) &&
            !parameters_set(set, key, value, dim))
            cfg_complain(n, key, "more than %d parameters", PARAMETERS);
    }
    cfg_done(n);
}

static void before_load(const struct cfg_node *n, struct reader *r, struct series_plan *plan)
{
    static const char *const takes[] = {"last", "max", "min", NULL};
    double otherwise = 0.0;
    struct expr_dim dim = plain;
    if (plan->befores == BEFORE_DRIVES) {
        cfg_complain(n, NULL, "at most %d drives before", BEFORE_DRIVES);
        return;
    }
    struct before *b = &plan->before[plan->befores++];
    memset(b, 0, sizeof *b);
    cfg_need(n, "scenario");
    cfg_path(n, "scenario", b->scenario, sizeof b->scenario);
    cfg_need(n, "measure");
    cfg_string(n, "measure", b->measure, sizeof b->measure);
    memcpy(b->name, b->measure, sizeof b->name);
    cfg_string(n, "name", b->name, sizeof b->name);
    cfg_choice(n, "take", &b->take, takes);
    set_load(cfg_map(n, "set"), r, &b->set);
    cfg_need(n, "otherwise");
    const struct cfg_node *value = cfg_value(n, "otherwise");
    if (value && value_of(r, value, "otherwise", &otherwise, &dim))
        keep(r, n, b->name, otherwise, dim);
    cfg_done(n);
}

/* A value of a series, in the dimension of its parameter. */
static bool series_value(struct reader *r, const struct cfg_node *node, const char *what,
                         struct series_name *s, double *value)
{
    char own[48], other[48];
    struct expr_dim want = r->known->dim[parameters_find(r->known, s->name)];
    if (!value_of(r, node, what, value, &s->dim))
        return false;
    if (same_dim(want, s->dim))
        return true;
    expr_dim_name(want, own, sizeof own);
    expr_dim_name(s->dim, other, sizeof other);
    cfg_complain(node, NULL, "%s: %s is in %s, not in %s", what, s->name, own, other);
    return false;
}

/* from, to, by: the last value is always `to`. */
static void range_load(const struct cfg_node *n, struct reader *r, struct series_name *s)
{
    static const char *const keys[] = {"from", "to", "by"};
    double v[3] = {0.0, 0.0, 0.0};
    struct expr_dim of;
    for (int k = 0; k < 3; k++) {
        cfg_need(n, keys[k]);
        const struct cfg_node *value = cfg_value(n, keys[k]);
        if (!value || !series_value(r, value, keys[k], s, &v[k]))
            return;
    }
    cfg_string(n, "unit", s->unit, sizeof s->unit);
    if (s->unit[0] && !expr_unit(s->unit, &s->per_unit, &of))
        cfg_complain(n, "unit", "no unit \"%s\"", s->unit);
    s->per_unit = 1.0 / s->per_unit;
    cfg_done(n);
    double steps = (v[1] - v[0]) / v[2];
    if (!(v[2] > 0.0) || !(steps >= 0.0) || !(steps < SERIES_VALUES - 2)) {
        cfg_complain(n, NULL, "from %g to %g by %g is no series of at most %d values", v[0], v[1],
                     v[2], SERIES_VALUES);
        return;
    }
    /* A step that ends within a thousandth of the last value is the last value. */
    for (int i = 0; (double)i < steps - 1e-3; i++)
        s->value[s->count++] = v[0] + i * v[2];
    s->value[s->count++] = v[1];
}

static void list_load(const struct cfg_node *map, const char *key, struct reader *r,
                      struct series_name *s)
{
    const struct cfg_node *list = cfg_list(map, key);
    if (cfg_count(list) == 0 || cfg_count(list) > SERIES_VALUES) {
        cfg_complain(map, key, "must be a list of 1 to %d values, or {from, to, by}",
                     SERIES_VALUES);
        return;
    }
    for (size_t i = 0; i < cfg_count(list); i++)
        if (series_value(r, cfg_item(list, i), key, s, &s->value[s->count]))
            s->count++;
}

static void series_load(const struct cfg_node *root, struct reader *r, struct series_plan *plan)
{
    const struct cfg_node *n = cfg_map(root, "series");
    for (size_t i = 0; i < cfg_key_count(n); i++) {
        const char *key = cfg_key(n, i);
        if (plan->names == SERIES_NAMES || parameters_find(r->known, key) < 0) {
            cfg_complain(n, key, "must be one of the parameters, of at most %d", SERIES_NAMES);
            (void)cfg_has(n, key);
            continue;
        }
        struct series_name *s = &plan->name[plan->names];
        memset(s, 0, sizeof *s);
        s->per_unit = 1.0;
        (void)snprintf(s->name, sizeof s->name, "%s", key);
        if (cfg_is_list(n, key))
            list_load(n, key, r, s);
        else
            range_load(cfg_need_map(n, key), r, s);
        plan->names += s->count > 0;
    }
    cfg_done(n);
}

void parameters_load(const struct cfg_node *root, struct cfg_doc *doc, const char *vehicle,
                     const struct parameters *given, struct parameters *p, struct series_plan *plan)
{
    struct reader r = {.given = given, .known = p, .vehicle = vehicle};
    memset(p, 0, sizeof *p);
    memset(plan, 0, sizeof *plan);
    const struct cfg_node *list = cfg_list(root, "before");
    for (size_t i = 0; i < cfg_count(list); i++)
        before_load(cfg_item(list, i), &r, plan);
    const struct cfg_node *n = cfg_map(root, "parameters");
    for (size_t i = 0; i < cfg_key_count(n); i++) {
        double value = 0.0;
        struct expr_dim dim = plain;
        const char *key = cfg_key(n, i);
        if (value_of(&r, cfg_value(n, key), key, &value, &dim))
            keep(&r, n, key, value, dim);
    }
    cfg_done(n);
    series_load(root, &r, plan);
    cfg_compute(doc, compute, p);
}
