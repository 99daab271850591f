/* A smooth curve through points of the plane: a cubic spline of each coordinate over the length of
 * the chords, so that curvature is continuous. For loaders. */
#ifndef SKIDPAD_ROAD_SPLINE_LOAD_H
#define SKIDPAD_ROAD_SPLINE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Knots are the points; a closed curve has a few more before and behind. */
struct spline {
    double *t, *x, *y; /* length of the chords so far, coordinates */
    double *mx, *my;   /* second derivatives by t */
    size_t first,
        count; /* knot of the first point; number of points, closed: and the first again */
    bool is_closed;
    double *s_m; /* of spline_measure(): arc length at SPLINE_PARTS places of each span */
};

enum { SPLINE_PARTS = 8 };

struct spline_point {
    double x_m, y_m;
    double dx, dy;   /* first derivatives by t: almost a unit vector */
    double ddx, ddy; /* second derivatives */
};

/* At least three points; neighbours apart. Returns 0 or -ENOMEM. The caller calls spline_free(). */
int spline_build(const double *xy_m, size_t count, bool is_closed, struct spline *s);
void spline_free(struct spline *s);

/* At a share u from 0 to 1 of the span behind the point of that number. */
void spline_at(const struct spline *s, size_t point, double u, struct spline_point *out);

/* Fills s_m: from 0 at the first point. Returns 0 or -ENOMEM. */
int spline_measure(struct spline *s);
/* Arc length at a point; after spline_measure(). */
double spline_length_m(const struct spline *s, size_t point);
/* The place at an arc length between 0 and that of the last point; after spline_measure(). */
void spline_along(const struct spline *s, double s_m, struct spline_point *out);

double spline_curvature_1pm(const struct spline_point *p);

#endif
