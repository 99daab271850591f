/* What values an expression can take at all: to refuse criteria that no drive can meet, or miss. */
#ifndef SKIDPAD_SCENARIO_EXPR_LOAD_SPAN_H
#define SKIDPAD_SCENARIO_EXPR_LOAD_SPAN_H

#include "target/scenario/expr.h"

/* From low to high, both included; infinite where nothing is known. */
struct expr_span {
    double low, high;
};

/* named: of the names that the expression knows. Counts and flags are not negative, neither are
 * absolute values, roots, durations, times and amplitudes; other signals are taken to be anything.
 * Wider than the truth where the same value stands on both sides. */
struct expr_span expr_span(const struct expr *e, const struct expr_span *named);

#endif
