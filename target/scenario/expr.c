#include "target/scenario/expr.h"

#include "target/model/math/vecmath.h"

#include <math.h> /* exact functions only */
#include <string.h>

#define NO_VALUE ((double)NAN)

/* What is not finite is no value: nothing divided by 0 can meet a limit. */
static double finite_or_none(double x)
{
    return isfinite(x) ? x : NO_VALUE;
}

static double bit(double word, double number)
{
    if (!(word >= 0.0 && word < 4294967296.0 && number >= 0.0 && number < 32.0))
        return 0.0;
    return (double)((uint32_t)word >> (uint32_t)number & 1u);
}

/* One that is false settles `and`, one that is true settles `or`, whatever the other is. */
static double both(double a, double b)
{
    if (a == 0.0 || b == 0.0)
        return 0.0;
    return a == a && b == b ? 1.0 : NO_VALUE;
}

static double either(double a, double b)
{
    if ((a == a && a != 0.0) || (b == b && b != 0.0))
        return 1.0;
    return a == a && b == b ? 0.0 : NO_VALUE;
}

static double two_operands(uint16_t code, double a, double b)
{
    if (code == EXPR_AND)
        return both(a, b);
    if (code == EXPR_OR)
        return either(a, b);
    if (a != a || b != b)
        return NO_VALUE;
    switch (code) {
    case EXPR_ADD:
        return a + b;
    case EXPR_SUB:
        return a - b;
    case EXPR_MUL:
        return a * b;
    case EXPR_DIV:
        return a / b;
    case EXPR_MIN:
        return a < b ? a : b;
    case EXPR_MAX:
        return a > b ? a : b;
    case EXPR_LESS:
        return a < b;
    case EXPR_LESS_EQUAL:
        return a <= b;
    case EXPR_MORE:
        return a > b;
    case EXPR_MORE_EQUAL:
        return a >= b;
    case EXPR_EQUAL:
        return a == b;
    case EXPR_NOT_EQUAL:
        return a < b || a > b;
    default:
        return bit(a, b);
    }
}

static double one_operand(uint16_t code, double a)
{
    switch (code) {
    case EXPR_NEG:
        return -a;
    case EXPR_NOT:
        return a == a ? a == 0.0 : a;
    case EXPR_ABS:
        return fabs(a);
    default:
        return sqrt(a);
    }
}

/* Where the operands come from. */
struct source {
    const struct signals *now;
    const double *named, *reduced;
};

static double operand(const struct expr_op *op, const struct source *from)
{
    switch (op->code) {
    case EXPR_SIGNAL:
        return signal_read(from->now, op->index, op->type);
    case EXPR_NAMED:
        return from->named ? from->named[op->index] : NO_VALUE;
    case EXPR_REDUCED:
        return from->reduced ? from->reduced[op->index] : NO_VALUE;
    default:
        return op->value;
    }
}

/* The compiler has made sure that the stack holds every value and that one is left. */
static double run(const struct expr *e, struct expr_part part, const struct source *from)
{
    double stack[EXPR_DEPTH + 1] = {0.0};
    int top = 0;
    for (int32_t i = part.first; i < part.first + part.count; i++) {
        const struct expr_op *op = &e->op[i];
        if (op->code <= EXPR_REDUCED) {
            stack[top++] = operand(op, from);
        } else if (op->code < EXPR_ADD) {
            stack[top - 1] = one_operand(op->code, stack[top - 1]);
        } else {
            top--;
            stack[top - 1] = two_operands(op->code, stack[top - 1], stack[top]);
        }
        stack[top - 1] = finite_or_none(stack[top - 1]);
    }
    return stack[0];
}

double expr_value(const struct expr *e, const struct signals *now)
{
    return run(e, e->result, &(struct source){.now = now});
}

double expr_number(const struct expr *e, const double *named)
{
    return run(e, e->result, &(struct source){.named = named});
}

bool expr_holds(const struct expr *e, const struct signals *now)
{
    double value = expr_value(e, now);
    return value == value && value != 0.0;
}

/* ---- over a recorded drive */

/* A drive, and what is known of it so far. */
struct over {
    const struct expr *e;
    const struct expr_trace *t;
    struct expr_window w;
    const double *named;
    double reduced[EXPR_REDUCTIONS];
};

static double run_row(const struct over *o, struct expr_part part, size_t row)
{
    const struct source from = {
        .now = &o->t->row[row],
        .named = o->named,
        .reduced = o->reduced,
    };
    return run(o->e, part, &from);
}

/* The first row whose time is not below time_s; rows if there is none. */
static size_t row_from(const struct expr_trace *t, double time_s)
{
    size_t low = 0, high = t->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->row[middle].time_s < time_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct expr_window expr_window_of(const struct expr_trace *t, double from_s, double to_s)
{
    const struct expr_window empty = {1, 0};
    if (!(from_s <= to_s))
        return empty;
    size_t first = row_from(t, from_s), behind = row_from(t, to_s);
    while (behind < t->rows && t->row[behind].time_s <= to_s)
        behind++;
    return behind > first ? (struct expr_window){first, behind - 1} : empty;
}

/* Linear between the rows on both sides of the time. */
static double at_time(const struct over *o, struct expr_part body, double time_s)
{
    const struct expr_trace *t = o->t;
    if (!(time_s >= t->row[0].time_s && time_s <= t->row[t->rows - 1].time_s))
        return NO_VALUE;
    size_t i = row_from(t, time_s);
    double after = run_row(o, body, i);
    if (i == 0 || t->row[i].time_s == time_s)
        return after;
    double before = run_row(o, body, i - 1);
    double span_s = t->row[i].time_s - t->row[i - 1].time_s;
    return before + (after - before) * (time_s - t->row[i - 1].time_s) / span_s;
}

/* What one pass over the rows of a window gathers. */
struct gathered {
    double most, least, integral, first_s, last_s, held_s, begin, end;
    int times, rows, held_rows, none_rows;
};

static void gather_row(struct gathered *g, double now_s, double now, double before_s, double before)
{
    if (g->rows == 0) {
        g->most = g->least = g->begin = now;
        before = 0.0;
    } else {
        g->integral += 0.5 * (before + now) * (now_s - before_s);
        g->held_s += before != 0.0 ? now_s - before_s : 0.0;
    }
    /* A value that is none spoils the result rather than being passed over. */
    if (now > g->most || now != now)
        g->most = now;
    if (now < g->least || now != now)
        g->least = now;
    g->none_rows += now != now;
    if (now != 0.0) {
        g->first_s = g->held_rows == 0 ? now_s : g->first_s;
        g->last_s = now_s;
        g->times += before == 0.0;
        g->held_rows++;
    }
    g->end = now;
    g->rows++;
}

static void gather(const struct over *o, struct expr_part body, struct gathered *g)
{
    *g = (struct gathered){.first_s = NO_VALUE, .last_s = NO_VALUE};
    double before = 0.0, before_s = 0.0;
    for (size_t i = o->w.first; i <= o->w.last; i++) {
        double now_s = o->t->row[i].time_s, now = run_row(o, body, i);
        gather_row(g, now_s, now, before_s, before);
        before = now;
        before_s = now_s;
    }
}

static double mean_of(const struct gathered *g, const struct over *o)
{
    double span_s = o->t->row[o->w.last].time_s - o->t->row[o->w.first].time_s;
    return span_s > 0.0 ? g->integral / span_s : g->end;
}

/* The sine of a frequency that fits the window best, if that is whole cycles; by trapezoids. */
static double fourier(const struct over *o, const struct expr_reduction *r)
{
    static const double two_pi = 6.28318530717958647692;
    double omega_radps = two_pi * run_row(o, r->when, o->w.last), sine_sum = 0.0, cosine_sum = 0.0;
    double before_s = 0.0, before_sine = 0.0, before_cosine = 0.0;
    for (size_t i = o->w.first; i <= o->w.last; i++) {
        double sine, cosine, now_s = o->t->row[i].time_s, now = run_row(o, r->body, i);
        vm_sincos(omega_radps * now_s, &sine, &cosine);
        if (i > o->w.first) {
            sine_sum += 0.5 * (now * sine + before_sine) * (now_s - before_s);
            cosine_sum += 0.5 * (now * cosine + before_cosine) * (now_s - before_s);
        }
        before_s = now_s;
        before_sine = now * sine;
        before_cosine = now * cosine;
    }
    double span_s = o->t->row[o->w.last].time_s - o->t->row[o->w.first].time_s;
    if (!(span_s > 0.0))
        return NO_VALUE;
    return r->kind == EXPR_PHASE
               ? vm_atan2(cosine_sum, sine_sum)
               : 2.0 / span_s * sqrt(sine_sum * sine_sum + cosine_sum * cosine_sum);
}

/* Whether a condition held in any row, in all of them: as `or`, as `and`. */
static double any_of(const struct gathered *g)
{
    return g->held_rows > g->none_rows ? 1.0 : g->none_rows > 0 ? NO_VALUE : 0.0;
}

static double all_of(const struct gathered *g)
{
    return g->held_rows < g->rows ? 0.0 : g->none_rows > 0 ? NO_VALUE : 1.0;
}

static double reduce(const struct over *o, const struct expr_reduction *r)
{
    struct gathered g;
    if (r->kind == EXPR_AT)
        return at_time(o, r->body, run_row(o, r->when, o->w.last));
    if (r->kind == EXPR_FOURIER || r->kind == EXPR_PHASE)
        return fourier(o, r);
    gather(o, r->body, &g);
    switch (r->kind) {
    case EXPR_OVER_MAX:
        return g.most;
    case EXPR_OVER_MIN:
        return g.least;
    case EXPR_OVER_MEAN:
        return mean_of(&g, o);
    case EXPR_OVER_INTEGRAL:
        return g.integral;
    case EXPR_OVER_BEGIN:
        return g.begin;
    case EXPR_OVER_END:
        return g.end;
    case EXPR_OVER_ANY:
        return any_of(&g);
    case EXPR_OVER_ALL:
        return all_of(&g);
    default:
        break;
    }
    if (g.none_rows > 0)
        return NO_VALUE;
    switch (r->kind) {
    case EXPR_OVER_FIRST:
        return g.first_s;
    case EXPR_OVER_LAST:
        return g.last_s;
    case EXPR_OVER_DURATION:
        return g.held_s;
    default:
        return g.times;
    }
}

void expr_over(const struct expr *e, const struct expr_trace *t, struct expr_window w,
               const double *named, struct expr_result *out)
{
    struct over o = {.e = e, .t = t, .w = w, .named = named};
    *out = (struct expr_result){NO_VALUE, NO_VALUE, NO_VALUE, false};
    if (w.last < w.first || w.last >= t->rows)
        return;
    out->exists = true;
    for (int32_t k = 0; k < e->reductions; k++) {
        o.reduced[k] = finite_or_none(reduce(&o, &e->reduction[k]));
        out->exists = out->exists && o.reduced[k] == o.reduced[k];
    }
    for (int32_t k = 0; k < e->ops; k++)
        if (e->op[k].code == EXPR_NAMED && named[e->op[k].index] != named[e->op[k].index])
            out->exists = false;
    out->value = run_row(&o, e->result, w.last);
    if (e->left.count > 0) {
        out->left = run_row(&o, e->left, w.last);
        out->right = run_row(&o, e->right, w.last);
    }
    out->exists = out->exists && out->value == out->value;
}
