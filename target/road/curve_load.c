#include "target/road/curve_load.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"
#include "target/road/pair_kernel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double curve_piece_m(double curvature_1pm, double rate_1pm2)
{
    double turn_m = 0.3 / at_least(fabs(curvature_1pm), 1e-9);
    double twist_m = sqrt(0.02 / at_least(fabs(rate_1pm2), 1e-9));
    return between(at_most(turn_m, twist_m), 0.25, 4.0);
}

/* Gauss-Legendre with five points: exact to rounding while the heading turns by less than half. */
void curve_advance(struct curve_node *n, double length_m, double k0_1pm, double k1_1pm)
{
    static const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0.0,
                                   0.5384693101056831, 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    double rate = (k1_1pm - k0_1pm) / length_m, x = 0.0, y = 0.0;
    for (int i = 0; i < 5; i++) {
        double u_m = 0.5 * length_m * (1.0 + node[i]), sine, cosine;
        vm_sincos(n->heading_rad + u_m * (k0_1pm + 0.5 * rate * u_m), &sine, &cosine);
        x += weight[i] * cosine;
        y += weight[i] * sine;
    }
    n->x_m += 0.5 * length_m * x;
    n->y_m += 0.5 * length_m * y;
    n->heading_rad += 0.5 * (k0_1pm + k1_1pm) * length_m;
    n->s_m += length_m;
    n->before_1pm = n->after_1pm = k1_1pm;
}

/* What a polynomial has to meet at an end: place, first and second derivative by u, where the piece
 * runs from u = -1 to 1. */
static void end_of(const struct curve_node *n, double half_m, double curvature_1pm, v2 out[3])
{
    double sine, cosine;
    vm_sincos(n->heading_rad, &sine, &cosine);
    out[0] = (v2){n->x_m, n->y_m};
    out[1] = (v2){half_m * cosine, half_m * sine};
    double k = half_m * half_m * curvature_1pm;
    out[2] = (v2){-k * sine, k * cosine};
}

/* even and odd powers apart. */
static void fit(const struct curve_node *from, const struct curve_node *to, struct curve_piece *p)
{
    v2 f[3], g[3], b[6];
    double half_m = 0.5 * (to->s_m - from->s_m);
    end_of(from, half_m, from->after_1pm, f);
    end_of(to, half_m, to->before_1pm, g);
    v2 sum[3], gap[3];
    for (int i = 0; i < 3; i++) {
        sum[i] = 0.5 * (g[i] + f[i]);
        gap[i] = 0.5 * (g[i] - f[i]);
    }
    b[4] = (sum[2] - gap[1]) / 8.0;
    b[2] = (gap[1] - 4.0 * b[4]) / 2.0;
    b[0] = sum[0] - b[2] - b[4];
    b[5] = (gap[2] - 3.0 * (sum[1] - gap[0])) / 8.0;
    b[3] = (sum[1] - gap[0] - 4.0 * b[5]) / 2.0;
    b[1] = gap[0] - b[3] - b[5];
    double power = 1.0;
    for (int i = 0; i < 6; i++) {
        p->a[i] = b[i] * power;
        power /= half_m;
    }
    p->mid_m = 0.5 * (from->s_m + to->s_m);
    p->half_m = half_m;
    p->curvature_1pm = 0.5 * (from->after_1pm + to->before_1pm);
    p->is_straight = from->after_1pm == 0.0 && to->before_1pm == 0.0;
    v2 ahead = g[1] / (v2){half_m, half_m}, behind = f[1] / (v2){half_m, half_m};
    p->ends[0] = (v2){dot(ahead, g[0]), -dot(behind, f[0])};
    p->ends[1] = (v2){-ahead[0], behind[0]};
    p->ends[2] = (v2){-ahead[1], behind[1]};
}

/* Behind `last` the curve goes on with `first`: one normal for both, so that no place lies beyond
 * either where they do not quite meet. */
static void join(struct curve_piece *p, int32_t last, int32_t first)
{
    for (int i = 0; i < 3; i++)
        p[first].ends[i][1] = -p[last].ends[i][0];
    p[last].to[1] = first;
    p[first].to[2] = last;
}

int curve_build(const struct curve_node *node, size_t count, bool is_closed, size_t loop,
                struct curve *out)
{
    int32_t pieces = (int32_t)count - 1;
    *out = (struct curve){0};
    struct curve_piece *p = aligned_alloc(64, (size_t)pieces * sizeof *p);
    if (!p)
        return -ENOMEM;
    memset(p, 0, (size_t)pieces * sizeof *p);
    for (int32_t i = 0; i < pieces; i++) {
        fit(&node[i], &node[i + 1], &p[i]);
        for (int k = 0; k < 4; k++)
            p[i].to[k] = i;
        if (i > 0)
            join(p, i - 1, i);
    }
    if (is_closed)
        join(p, pieces - 1, (int32_t)loop);
    *out = (struct curve){.piece = p,
                          .count = pieces,
                          .is_closed = is_closed,
                          .begin_m = node[0].s_m,
                          .end_m = node[pieces].s_m,
                          .loop_m = node[is_closed ? loop : 0].s_m};
    return 0;
}

void curve_free(struct curve *c)
{
    free((void *)c->piece);
    *c = (struct curve){0};
}
