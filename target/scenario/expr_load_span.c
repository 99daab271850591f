#include "target/scenario/expr_load_span.h"

#include <math.h>

static const struct expr_span anything = {-INFINITY, INFINITY}, positive = {0.0, INFINITY},
                              flag = {0.0, 1.0};

static struct expr_span truth(bool always, bool never)
{
    return (struct expr_span){always ? 1.0 : 0.0, never ? 0.0 : 1.0};
}

/* Products of infinity and zero are zero here: something finite, however large. */
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static struct expr_span product(struct expr_span a, struct expr_span b)
{
    double p[4] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                   times(a.high, b.high)};
    return (struct expr_span){fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                              fmax(fmax(p[0], p[1]), fmax(p[2], p[3]))};
}

static struct expr_span quotient(struct expr_span a, struct expr_span b)
{
    if (b.low > 0.0 || b.high < 0.0)
        return product(a, (struct expr_span){1.0 / b.high, 1.0 / b.low});
    return a.low >= 0.0 && b.low >= 0.0 ? positive : anything;
}

static struct expr_span less(struct expr_span a, struct expr_span b)
{
    return truth(a.high < b.low, a.low >= b.high);
}

static struct expr_span less_equal(struct expr_span a, struct expr_span b)
{
    return truth(a.high <= b.low, a.low > b.high);
}

static struct expr_span absolute(struct expr_span a)
{
    double most = fmax(fabs(a.low), fabs(a.high));
    bool crosses = a.low <= 0.0 && a.high >= 0.0;
    return (struct expr_span){crosses ? 0.0 : fmin(fabs(a.low), fabs(a.high)), most};
}

static struct expr_span of_one(uint16_t code, struct expr_span a)
{
    switch (code) {
    case EXPR_NEG:
        return (struct expr_span){-a.high, -a.low};
    case EXPR_NOT:
        return truth(a.high == 0.0, a.low > 0.0);
    case EXPR_ABS:
        return absolute(a);
    default:
        return (struct expr_span){sqrt(fmax(a.low, 0.0)), sqrt(fmax(a.high, 0.0))};
    }
}

static struct expr_span of_two(uint16_t code, struct expr_span a, struct expr_span b)
{
    bool apart = a.high < b.low || a.low > b.high;
    bool same = a.low == a.high && b.low == b.high && a.low == b.low;
    switch (code) {
    case EXPR_ADD:
        return (struct expr_span){a.low + b.low, a.high + b.high};
    case EXPR_SUB:
        return (struct expr_span){a.low - b.high, a.high - b.low};
    case EXPR_MUL:
        return product(a, b);
    case EXPR_DIV:
        return quotient(a, b);
    case EXPR_MIN:
        return (struct expr_span){fmin(a.low, b.low), fmin(a.high, b.high)};
    case EXPR_MAX:
        return (struct expr_span){fmax(a.low, b.low), fmax(a.high, b.high)};
    case EXPR_LESS:
        return less(a, b);
    case EXPR_LESS_EQUAL:
        return less_equal(a, b);
    case EXPR_MORE:
        return less(b, a);
    case EXPR_MORE_EQUAL:
        return less_equal(b, a);
    case EXPR_EQUAL:
        return truth(same, apart);
    case EXPR_NOT_EQUAL:
        return truth(apart, same);
    case EXPR_AND:
        return truth(a.low > 0.0 && b.low > 0.0, a.high == 0.0 || b.high == 0.0);
    case EXPR_OR:
        return truth(a.low > 0.0 || b.low > 0.0, a.high == 0.0 && b.high == 0.0);
    default:
        return flag; /* a bit */
    }
}

struct known {
    const struct expr *e;
    const struct expr_span *named;
    struct expr_span reduced[EXPR_REDUCTIONS];
};

static struct expr_span of_operand(const struct known *k, const struct expr_op *op)
{
    switch (op->code) {
    case EXPR_SIGNAL:
        return op->type == SIGNAL_u32 ? positive : anything;
    case EXPR_NAMED:
        return k->named ? k->named[op->index] : anything;
    case EXPR_REDUCED:
        return k->reduced[op->index];
    default:
        return (struct expr_span){op->value, op->value};
    }
}

/* As expr.c runs it, with spans in place of numbers. */
static struct expr_span of_part(const struct known *k, struct expr_part part)
{
    struct expr_span stack[EXPR_DEPTH + 1] = {{0.0, 0.0}};
    int top = 0;
    for (int32_t i = part.first; i < part.first + part.count; i++) {
        const struct expr_op *op = &k->e->op[i];
        if (op->code <= EXPR_REDUCED) {
            stack[top++] = of_operand(k, op);
        } else if (op->code < EXPR_ADD) {
            stack[top - 1] = of_one(op->code, stack[top - 1]);
        } else {
            top--;
            stack[top - 1] = of_two(op->code, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

static struct expr_span of_reduction(const struct known *k, const struct expr_reduction *r)
{
    struct expr_span body = of_part(k, r->body);
    switch (r->kind) {
    case EXPR_OVER_INTEGRAL:
        return body.low >= 0.0 ? positive : anything;
    case EXPR_OVER_FIRST:
    case EXPR_OVER_LAST:
    case EXPR_OVER_DURATION:
    case EXPR_OVER_TIMES:
    case EXPR_FOURIER:
        return positive;
    case EXPR_PHASE:
        return anything;
    default: /* a value of the body, or a mean of such */
        return body;
    }
}

struct expr_span expr_span(const struct expr *e, const struct expr_span *named)
{
    struct known k = {.e = e, .named = named};
    for (int32_t i = 0; i < e->reductions; i++)
        k.reduced[i] = of_reduction(&k, &e->reduction[i]);
    struct expr_span s = of_part(&k, e->result);
    return s.low <= s.high ? s : anything; /* infinity less infinity */
}
