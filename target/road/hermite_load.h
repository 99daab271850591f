/* Smooth interpolation of a table that does not overshoot: cubics with the slopes of Fritsch and
 * Butland; held beyond the ends. */
#ifndef SKIDPAD_ROAD_HERMITE_LOAD_H
#define SKIDPAD_ROAD_HERMITE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct hermite {
    size_t count;
    double *x, *y, *slope; /* one block, at x */
};

/* From rows of `columns` numbers: x in the first, y in the given one. Level at both ends if asked.
 * Returns 0 or -ENOMEM. */
int hermite_build(const double *rows, size_t count, size_t columns, size_t column, bool level_ends,
                  struct hermite *h);
void hermite_free(struct hermite *h);

/* Value and slope; 0 of an empty table. */
void hermite_at(const struct hermite *h, double x, double *y, double *slope);

/* The cubic c[0] + c[1] t + ... about the middle of a stretch with these values and slopes at its
 * begin and end. */
void hermite_between(const double begin[2], const double end[2], double length, double c[4]);

/* The cubic c[0] + c[1] t + ... about the middle of [from, to], which holds no knot inside. */
void hermite_cubic(const struct hermite *h, double from, double to, double c[4]);

#endif
