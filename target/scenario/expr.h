/* Compiled expressions over the signals: conditions of phases and faults, pass criteria.
 *
 * expr_load.h compiles a text once, at start. Here it is evaluated: a straight run of at most
 * EXPR_OPS operations on a small stack, without allocation, strings or loops over time, so that a
 * condition may stand in the real-time tick. A criterion adds reductions over a recorded drive
 * (the largest, the mean, the first time that ...); those loop over its rows and are for after it.
 *
 * What is not finite, as after a division by 0, is no value, nor is a comparison with it or its
 * `not`; `and` and `or` may be settled by their other side. A condition without a value does not
 * hold. */
#ifndef SKIDPAD_SCENARIO_EXPR_H
#define SKIDPAD_SCENARIO_EXPR_H

#include "shared/wire/signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPR_OPS = 160, EXPR_DEPTH = 24, EXPR_REDUCTIONS = 16 };

enum expr_code {
    EXPR_CONST,   /* value */
    EXPR_SIGNAL,  /* the signal at byte `index` of the record, of type `type` */
    EXPR_NAMED,   /* number `index` of the results that the caller has named */
    EXPR_REDUCED, /* result of reduction `index` */
    EXPR_NEG,
    EXPR_NOT,
    EXPR_ABS,
    EXPR_SQRT,
    EXPR_ADD, /* from here on two operands */
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_MIN,
    EXPR_MAX,
    EXPR_LESS,
    EXPR_LESS_EQUAL,
    EXPR_MORE,
    EXPR_MORE_EQUAL,
    EXPR_EQUAL,
    EXPR_NOT_EQUAL,
    EXPR_AND,
    EXPR_OR,
    EXPR_BIT /* bit number b of the whole number a */
};

struct expr_op {
    double value;
    uint32_t index;
    uint16_t code; /* enum expr_code */
    uint16_t type; /* enum signal_type */
};

/* A run of operations that leaves one value. */
struct expr_part {
    int32_t first, count;
};

enum expr_reduce {
    EXPR_OVER_MAX,
    EXPR_OVER_MIN,
    EXPR_OVER_MEAN,     /* over time */
    EXPR_OVER_INTEGRAL, /* over time, trapezoids between rows */
    EXPR_OVER_BEGIN,    /* value in the first row of the window */
    EXPR_OVER_END,      /* value in the last */
    EXPR_OVER_FIRST,    /* time of the first row where a condition holds */
    EXPR_OVER_LAST,     /* time of the last */
    EXPR_OVER_DURATION, /* for how long a condition held */
    EXPR_OVER_TIMES,    /* how often it began to hold */
    EXPR_OVER_ANY,
    EXPR_OVER_ALL,
    EXPR_AT,      /* value at a time; linear between rows; not bound to the window */
    EXPR_FOURIER, /* amplitude of the sine of a frequency in the window */
    EXPR_PHASE    /* and its phase at the time 0, as of sin(2 pi f t + phase) */
};

struct expr_reduction {
    int32_t kind; /* enum expr_reduce */
    int32_t reserved;
    struct expr_part body, when; /* when: the time of EXPR_AT, the frequency of EXPR_FOURIER */
};

/* Powers of metre, kilogram and second; angles have none. `any`: made of bare numbers, which take
 * the dimension of whatever they are compared with or added to. */
struct expr_dim {
    int8_t m, kg, s, any;
};

/* Plain data, const once compiled. */
struct expr {
    struct expr_op op[EXPR_OPS];
    struct expr_reduction reduction[EXPR_REDUCTIONS]; /* those inside others come first */
    struct expr_part result;
    /* If the whole is one comparison: its two sides, for a report; otherwise empty. */
    struct expr_part left, right;
    int32_t ops, reductions;
    int32_t is_condition; /* true or false, rather than a number */
    struct expr_dim dim;  /* of the result */
};

/* The value now, NaN: none; 1 or 0 of a condition. The expression must not hold reductions or
 * names.
 */
double expr_value(const struct expr *e, const struct signals *now);

/* The value of an expression of numbers and names only. */
double expr_number(const struct expr *e, const double *named);

/* Whether a condition holds now. */
bool expr_holds(const struct expr *e, const struct signals *now);

/* A recorded drive: rows in the order of time. */
struct expr_trace {
    const struct signals *row;
    size_t rows;
};

/* Rows first..last, both included; last < first is an empty window. */
struct expr_window {
    size_t first, last;
};

/* The rows with from_s <= time <= to_s. */
struct expr_window expr_window_of(const struct expr_trace *t, double from_s, double to_s);

struct expr_result {
    double value;       /* 1 or 0 of a condition */
    double left, right; /* of a comparison; NaN if it is none */
    /* Whether the result and every reduction had a value: nothing has a maximum over an empty
     * window, a time that never came is none, nor is what is not finite. A criterion without a
     * value has failed. */
    bool exists;
};

/* Evaluates over a window of a recorded drive; signals outside reductions are those of its last
 * row. named: the results the caller has named; NULL if there are none. */
void expr_over(const struct expr *e, const struct expr_trace *t, struct expr_window w,
               const double *named, struct expr_result *out);

#endif
