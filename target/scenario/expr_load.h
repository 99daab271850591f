/* Compiles expressions: docs/expressions.md has the language.
 *
 *     abs(yaw_rate_radps) > 20 deg/s and vx_mps > 15 km/h          a condition
 *     max(abs(roll_rad)) <= 10 deg                                 a criterion
 *
 * Signals are those of signals.def. A number may carry a unit and becomes SI; dimensions are
 * checked. Mistakes are told with their place and, for a misspelt word, the nearest known one. */
#ifndef SKIDPAD_SCENARIO_EXPR_LOAD_H
#define SKIDPAD_SCENARIO_EXPR_LOAD_H

#include "shared/base/err.h"
#include "shared/config/config.h"
#include "target/scenario/expr.h"

enum expr_use {
    EXPR_CONDITION, /* true or false, in the tick */
    EXPR_QUANTITY,  /* a number, in the tick */
    EXPR_CRITERION, /* true or false after the drive; reductions allowed */
    EXPR_MEASURE    /* a number after the drive; reductions allowed */
};

/* Names beyond the signals; all fields may be 0. The strings are only used while compiling. */
struct expr_scope {
    const char *const *named; /* results of earlier measures, see expr_over() */
    const struct expr_dim *named_dim;
    size_t names;
};

/* Returns 0, or -EINVAL with a message that holds the place, counted in characters from 1. scope
 * may be NULL. */
int expr_compile(const char *text, enum expr_use use, const struct expr_scope *scope,
                 struct expr *out, struct err *e);

/* The text of a key of a mapping; mistakes become messages of the document. False if the key is
 * absent (nothing is said then) or wrong. */
bool expr_load(const struct cfg_node *map, const char *key, enum expr_use use,
               const struct expr_scope *scope, struct expr *out);

/* A unit by its text ("km/h"): SI = number * factor. False if it is unknown. */
bool expr_unit(const char *text, double *factor, struct expr_dim *dim);

#endif
