/* Units, for the compiler of expressions only. */
#ifndef SKIDPAD_SCENARIO_EXPR_LOAD_UNIT_H
#define SKIDPAD_SCENARIO_EXPR_LOAD_UNIT_H

#include "target/scenario/expr_load.h"

/* The longest unit that the text begins with: its length, 0 if there is none. */
size_t expr_unit_take(const char *text, double *factor, struct expr_dim *dim);
/* The unit nearest to a word, or NULL. */
const char *expr_unit_near(const char *word);
/* What the dimension is called: "m/s", "a plain number". */
void expr_dim_name(struct expr_dim d, char *text, size_t size);

#endif
