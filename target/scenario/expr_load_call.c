/* Functions and reductions of expressions. */
#include "shared/base/nearest.h"
#include "target/scenario/expr_load_parse.h"
#include "target/scenario/expr_load_unit.h"

#include <string.h>

enum function_kind { POINTWISE, REDUCTION };
enum takes { NUMBER, CONDITION };

static const struct function {
    const char *name;
    enum function_kind kind;
    int code; /* enum expr_code or enum expr_reduce */
    int args_min, args_max;
    enum takes takes;
} functions[] = {
    {"abs", POINTWISE, EXPR_ABS, 1, 1, NUMBER},
    {"sqrt", POINTWISE, EXPR_SQRT, 1, 1, NUMBER},
    {"bit", POINTWISE, EXPR_BIT, 2, 2, NUMBER},
    {"min", POINTWISE, EXPR_MIN, 2, 8, NUMBER},
    {"max", POINTWISE, EXPR_MAX, 2, 8, NUMBER},
    {"max", REDUCTION, EXPR_OVER_MAX, 1, 1, NUMBER},
    {"min", REDUCTION, EXPR_OVER_MIN, 1, 1, NUMBER},
    {"mean", REDUCTION, EXPR_OVER_MEAN, 1, 1, NUMBER},
    {"integral", REDUCTION, EXPR_OVER_INTEGRAL, 1, 1, NUMBER},
    {"begin", REDUCTION, EXPR_OVER_BEGIN, 1, 1, NUMBER},
    {"end", REDUCTION, EXPR_OVER_END, 1, 1, NUMBER},
    {"at", REDUCTION, EXPR_AT, 2, 2, NUMBER},
    {"fourier", REDUCTION, EXPR_FOURIER, 2, 2, NUMBER},
    {"phase_of", REDUCTION, EXPR_PHASE, 2, 2, NUMBER},
    {"first", REDUCTION, EXPR_OVER_FIRST, 1, 1, CONDITION},
    {"last", REDUCTION, EXPR_OVER_LAST, 1, 1, CONDITION},
    {"duration", REDUCTION, EXPR_OVER_DURATION, 1, 1, CONDITION},
    {"times", REDUCTION, EXPR_OVER_TIMES, 1, 1, CONDITION},
    {"any", REDUCTION, EXPR_OVER_ANY, 1, 1, CONDITION},
    {"all", REDUCTION, EXPR_OVER_ALL, 1, 1, CONDITION},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

const char *expr_function_near(const char *word)
{
    const char *names[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++)
        names[i] = functions[i].name;
    return nearest_word(word, names, FUNCTIONS);
}

/* How many arguments stand behind the open parenthesis. */
static int count_arguments(const char *at)
{
    int depth = 0, count = 1;
    for (; *at && depth >= 0; at++) {
        if (*at == '(')
            depth++;
        else if (*at == ')')
            depth--;
        else if (*at == ',' && depth == 0)
            count++;
    }
    return count;
}

/* The function of that name, the one for so many arguments if there are two; NULL if none. */
static const struct function *find(const char *name, size_t length, int args)
{
    const struct function *found = NULL;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct function *f = &functions[i];
        if (strlen(f->name) != length || strncmp(f->name, name, length) != 0)
            continue;
        if (!found || (args >= f->args_min && args <= f->args_max))
            found = f;
    }
    return found;
}

/* The powers of a dimension must stay whole under a root. */
static struct expr_kind root_of(struct expr_parser *p, const char *at, struct expr_kind k)
{
    if (k.dim.m % 2 || k.dim.kg % 2 || k.dim.s % 2) {
        char name[48];
        expr_dim_name(k.dim, name, sizeof name);
        expr_fail(p, at, "the root of %s is no quantity", name);
    }
    k.dim.m /= 2;
    k.dim.kg /= 2;
    k.dim.s /= 2;
    return k;
}

static struct expr_kind pointwise(struct expr_parser *p, const char *at, const struct function *f,
                                  int args)
{
    struct expr_kind k = expr_parse(p);
    expr_need_number(p, at, k);
    const struct expr_op op = {.code = (uint16_t)f->code};
    if (args == 1)
        expr_emit(p, at, op);
    for (int i = 1; i < args && expr_take(p, ','); i++) {
        struct expr_kind next = expr_parse(p);
        expr_need_number(p, at, next);
        k = f->code == EXPR_BIT ? (struct expr_kind){true, {0, 0, 0, 0}}
                                : expr_same(p, at, k, next);
        expr_emit(p, at, op);
    }
    return f->code == EXPR_SQRT ? root_of(p, at, k) : k;
}

/* Moves what was emitted from `first` on behind the result, where bodies of reductions are. */
static struct expr_part put_aside(struct expr_parser *p, int32_t first, int depth)
{
    struct expr *e = p->out;
    int32_t count = e->ops - first, to = EXPR_OPS - p->bodies - count;
    struct expr_part part = {to, count};
    if (p->failed)
        return part;
    memmove(&e->op[to], &e->op[first], (size_t)count * sizeof e->op[0]);
    p->bodies += count;
    e->ops = first;
    p->depth = depth;
    p->compared = -1; /* that comparison is now inside something else */
    return part;
}

static struct expr_kind kind_of(struct expr_parser *p, const char *at, const struct function *f,
                                struct expr_kind body)
{
    static const struct expr_kind time = {false, {0, 0, 1, 0}}, number = {false, {0, 0, 0, 0}};
    if (f->takes == CONDITION)
        expr_need_condition(p, at, body);
    else
        expr_need_number(p, at, body);
    switch (f->code) {
    case EXPR_OVER_FIRST:
    case EXPR_OVER_LAST:
    case EXPR_OVER_DURATION:
        return time;
    case EXPR_OVER_TIMES:
    case EXPR_PHASE:
        return number;
    case EXPR_OVER_INTEGRAL:
        body.dim.s = (int8_t)(body.dim.s + 1);
        return body;
    default:
        return body;
    }
}

static struct expr_kind reduction(struct expr_parser *p, const char *at, const struct function *f)
{
    struct expr *e = p->out;
    struct expr_reduction r = {.kind = f->code};
    if (!p->reductions_allowed)
        expr_fail(p, at, "%s() looks at a whole drive, it is for criteria only", f->name);
    int32_t first = e->ops;
    int depth = p->depth;
    p->inside++;
    struct expr_kind k = kind_of(p, at, f, expr_parse(p));
    p->inside--;
    r.body = put_aside(p, first, depth);
    if (f->args_min == 2 && expr_take(p, ',')) {
        const struct expr_dim dim = {0, 0, f->code == EXPR_AT ? 1 : -1, 0};
        int inside = p->inside;
        p->inside = 0; /* the time does not change during the drive, wherever at() stands */
        struct expr_kind when = expr_parse(p);
        p->inside = inside;
        expr_need_number(p, at, when);
        (void)expr_same(p, at, (struct expr_kind){false, dim}, when);
        r.when = put_aside(p, first, depth);
    }
    if (e->reductions >= EXPR_REDUCTIONS)
        expr_fail(p, at, "too many reductions, at most %d are allowed", EXPR_REDUCTIONS);
    if (p->failed)
        return k;
    e->reduction[e->reductions] = r;
    expr_emit(p, at, (struct expr_op){.code = EXPR_REDUCED, .index = (uint32_t)e->reductions});
    e->reductions++;
    return k;
}

bool expr_parse_call(struct expr_parser *p, size_t length, struct expr_kind *kind)
{
    const char *at = p->at;
    p->at += length;
    (void)expr_take(p, '(');
    int args = count_arguments(p->at);
    const struct function *f = find(at, length, args);
    if (!f)
        return false;
    if (args < f->args_min || args > f->args_max)
        expr_fail(p, at, "%s() takes %d value%s, not %d", f->name, f->args_min,
                  f->args_min == 1 ? "" : "s", args);
    *kind = f->kind == POINTWISE ? pointwise(p, at, f, args) : reduction(p, at, f);
    if (!expr_take(p, ')'))
        expr_fail(p, p->at, "\")\" is missing, for %.*s() of character %zu", (int)length, at,
                  (size_t)(at - p->text) + 1);
    return true;
}
