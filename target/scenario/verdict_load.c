#include "target/scenario/verdict_load.h"

#include "target/scenario/expr_load.h"
#include "target/scenario/expr_load_span.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names known so far, for the compiler. */
struct known {
    const char *name[PARAMETERS + VERDICT_MEASURES];
    struct expr_dim dim[PARAMETERS + VERDICT_MEASURES];
    struct expr_span span[PARAMETERS + VERDICT_MEASURES];
    struct expr_scope scope;
};

static void unit_load(const struct cfg_node *n, struct expr_dim dim, char unit[16],
                      double *per_unit)
{
    struct expr_dim of;
    double factor = 1.0;
    *per_unit = 1.0;
    cfg_string(n, "unit", unit, 16);
    if (!unit[0])
        return;
    if (!expr_unit(unit, &factor, &of))
        cfg_complain(n, "unit", "no unit \"%s\"", unit);
    else if (!dim.any && (of.m != dim.m || of.kg != dim.kg || of.s != dim.s))
        cfg_complain(n, "unit", "\"%s\" does not fit what is measured", unit);
    *per_unit = 1.0 / factor;
}

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)name[0]))
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

static bool is_known(const struct known *k, const char *name)
{
    for (size_t i = 0; i < k->scope.names; i++)
        if (strcmp(k->name[i], name) == 0)
            return true;
    return false;
}

static void measure_load(const struct cfg_node *n, struct known *k, struct verdict_measure *m)
{
    cfg_need(n, "name");
    cfg_string(n, "name", m->name, sizeof m->name);
    if (m->name[0] && (!is_name(m->name) || signal_find(m->name) >= 0 || is_known(k, m->name)))
        cfg_complain(n, "name",
                     "must be letters, digits and _, and no name of a signal, parameter or other "
                     "measure");
    cfg_need(n, "value");
    cfg_string(n, "value", m->text, sizeof m->text);
    m->has_if = expr_load(n, "if", EXPR_CRITERION, &k->scope, &m->when);
    m->has_from = expr_load(n, "from", EXPR_MEASURE, &k->scope, &m->from);
    m->has_to = expr_load(n, "to", EXPR_MEASURE, &k->scope, &m->to);
    k->span[k->scope.names] = (struct expr_span){-INFINITY, INFINITY};
    if (expr_load(n, "value", EXPR_MEASURE, &k->scope, &m->value))
        k->span[k->scope.names] = expr_span(&m->value, k->span);
    unit_load(n, m->value.dim, m->unit, &m->per_unit);
    cfg_done(n);
    k->name[k->scope.names] = m->name;
    k->dim[k->scope.names] = m->value.dim;
    k->scope.names++;
}

static struct expr_dim left_dim(const struct verdict_criterion *c, const struct known *k)
{
    /* The side that is measured stands before the sign. */
    char text[VERDICT_TEXT];
    struct expr e;
    size_t length = strcspn(c->text, "<>=!");
    (void)snprintf(text, sizeof text, "%.*s", (int)length, c->text);
    if (expr_compile(text, EXPR_MEASURE, &k->scope, &e, NULL))
        return (struct expr_dim){0, 0, 0, 1};
    return e.dim;
}

/* Whether a drive can change the outcome: it holds a reduction, or a name. */
static bool depends(const struct expr *e)
{
    for (int32_t i = 0; i < e->ops; i++)
        if (e->op[i].code == EXPR_NAMED)
            return true;
    return e->reductions > 0;
}

static void criterion_load(const struct cfg_node *n, const struct known *k,
                           struct verdict_criterion *c)
{
    static const char *const marks[] = {"sure", "recalled", "ours", NULL};
    int mark = 2;
    cfg_need(n, "name");
    cfg_string(n, "name", c->name, sizeof c->name);
    cfg_need(n, "that");
    cfg_string(n, "that", c->text, sizeof c->text);
    if (expr_load(n, "that", EXPR_CRITERION, &k->scope, &c->that)) {
        struct expr_span s = expr_span(&c->that, k->span);
        if (!depends(&c->that))
            cfg_complain(n, "that", "is the same for every drive; judge a signal or a measure");
        else if (s.high == 0.0 || s.low > 0.0)
            cfg_complain(n, "that", "%s, whatever the car does: look at its limit",
                         s.low > 0.0 ? "always holds" : "can never hold");
    }
    c->has_if = expr_load(n, "if", EXPR_CRITERION, &k->scope, &c->when);
    unit_load(n, left_dim(c, k), c->unit, &c->per_unit);
    cfg_string(n, "source", c->source, sizeof c->source);
    cfg_choice(n, "certainty", &mark, marks);
    (void)snprintf(c->certainty, sizeof c->certainty, "%s", marks[mark]);
    cfg_done(n);
}

struct verdict *verdict_load(const struct cfg_node *root, const struct parameters *known)
{
    char standard[VERDICT_TEXT] = "";
    cfg_string(root, "standard", standard, sizeof standard);
    const struct cfg_node *measures = cfg_list(root, "measures"), *pass = cfg_list(root, "pass");
    size_t count = cfg_count(measures), criteria = cfg_count(pass);
    if (!measures && !pass)
        return NULL;
    struct verdict *v = calloc(1, sizeof *v);
    if (!v) {
        cfg_complain(root, NULL, "out of memory");
        return NULL;
    }
    struct known k = {0};
    k.scope.named = k.name;
    k.scope.named_dim = k.dim;
    v->known = *known;
    for (int i = 0; i < known->count; i++) {
        k.name[i] = v->known.name[i];
        k.dim[i] = known->dim[i];
        k.span[i] = (struct expr_span){-INFINITY, INFINITY}; /* may be set from outside */
    }
    k.scope.names = (size_t)known->count;
    if (count > VERDICT_MEASURES)
        cfg_complain(root, "measures", "at most %d are allowed", VERDICT_MEASURES);
    if (criteria > VERDICT_CRITERIA)
        cfg_complain(root, "pass", "at most %d are allowed", VERDICT_CRITERIA);
    memcpy(v->standard, standard, sizeof standard);
    for (size_t i = 0; i < count && i < VERDICT_MEASURES; i++)
        measure_load(cfg_item(measures, i), &k, &v->measure[v->measures++]);
    for (size_t i = 0; i < criteria && i < VERDICT_CRITERIA; i++)
        criterion_load(cfg_item(pass, i), &k, &v->criterion[v->criteria++]);
    return v;
}

void verdict_free(struct verdict *v)
{
    free(v);
}
