/* Two results side by side: what differs, and whether anything got worse. */
#ifndef SKIDPAD_TARGET_COMPARE_H
#define SKIDPAD_TARGET_COMPARE_H

#include "shared/base/json_read.h"

#include <stdio.h>

enum compare_change { COMPARE_OTHER, COMPARE_BETTER, COMPARE_WORSE };

/* A criterion, measure or count that differs; texts are the documents'. */
struct compare_row {
    const char *manoeuvre, *drive, *what;
    char before[64], after[64];
    double relative; /* change over the larger value; NaN: not of numbers */
    int change;      /* enum compare_change */
};

struct compare {
    struct compare_row *row; /* owned */
    size_t rows, room;
    size_t compared; /* values that both have */
    size_t worse, better;
};

/* a and b: results of `skidpad test --json`. tolerance: relative changes up to it are none. Returns
 * 0 or a negative errno with a message; to be freed in both cases. */
int compare_results(struct compare *c, const struct json_doc *a, const struct json_doc *b,
                    double tolerance, struct err *e);
void compare_free(struct compare *c);

int compare_table(const struct compare *c, FILE *to);
/* charts: SVG to be put below the table; may be NULL. */
int compare_html(const struct compare *c, const char *name_a, const char *name_b,
                 const char *charts, FILE *to);

#endif
