#include "target/model/toothed_wheel.h"

#include "target/model/math/random.h"

#include <math.h> /* sqrt and fabs only */
#include <stdbool.h>

#define TWO_PI 6.283185307179586476925

/* Beyond this a double no longer resolves a hundredth of a tooth; a wheel never gets there, a state
 * that is not finite does. */
static const double max_teeth = 1e13;

void toothed_defaults(struct toothed_model *m)
{
    *m = (struct toothed_model){.teeth = {48.0, 48.0, 48.0, 48.0},
                                .threshold_hz = 20.0,
                                .resolution_s = 1e-6,
                                .cycle_s = 5e-3,
                                .timeout_s = 0.1};
}

void toothed_prepare(struct toothed_model *m, double step_s)
{
    for (int i = 0; i < WHEELS; i++) {
        m->teeth_per_rad[i] = m->teeth[i] / TWO_PI;
        m->pitch_rad[i] = TWO_PI / m->teeth[i];
    }
    m->stamp_ns = (int64_t)(m->resolution_s * 1e9 + 0.5);
    if (m->stamp_ns < 1)
        m->stamp_ns = 1;
    m->stamps_per_s = 1e9 / (double)m->stamp_ns;
    m->timeout_ns = (int64_t)(m->timeout_s * 1e9 + 0.5);
    double ticks = m->cycle_s / step_s + 0.5;
    m->cycle_ticks = ticks < 1e9 ? (uint32_t)ticks : 1000000000u;
    if (m->cycle_ticks < 1)
        m->cycle_ticks = 1;
}

/* The next whole number below; |x| < 2^63. */
static double whole_below(double x)
{
    double y = (double)(int64_t)x;
    return x < y ? y - 1.0 : y;
}

/* The timer's reading at time_s: it shows the last whole tick, as a capture register does. */
static int64_t stamp(const struct toothed_model *m, double time_s)
{
    double ticks = time_s * m->stamps_per_s;
    int64_t whole = (int64_t)ticks;
    return (whole - (ticks < (double)whole)) * m->stamp_ns;
}

/* One wheel between the ends of a step, in teeth over the share u = 0..1 of the step (S-2):
 *
 *     p(u) = p0 + rise (u^2 + r0 u (1 - u)) / (1 + (r0 + r1 - 2) u (1 - u))
 *
 * with r0, r1 the speeds at the ends over the mean speed. It has the right angle and speed at both
 * ends, is exact under constant acceleration, never turns back, and its inverse is a quadratic. */
struct span {
    double p0, rise, per_rise;
    double r0, r1;
};

static struct span span_make(double p0, double p1, double hz0, double hz1, double dt_s)
{
    double rise = p1 - p0, per_rise = 1.0 / rise;
    double r0 = hz0 * dt_s * per_rise, r1 = hz1 * dt_s * per_rise;
    /* A wheel that turns back within the step stands at that end instead. */
    return (struct span){p0, rise, per_rise, r0 > 0.0 ? r0 : 0.0, r1 > 0.0 ? r1 : 0.0};
}

static double span_at(const struct span *s, double u)
{
    double v = u * (1.0 - u);
    return s->p0 + s->rise * (u * u + s->r0 * v) / (1.0 + (s->r0 + s->r1 - 2.0) * v);
}

/* The share at which the angle is `teeth`, (S-3): (1 - b) u^2 + b u = y. Its discriminant, b^2 +
 * 4 (1 - b) y, is written as a sum that cannot be negative. */
static double span_find(const struct span *s, double teeth)
{
    double y = (teeth - s->p0) * s->per_rise;
    y = y < 1.0 ? y : 1.0;
    double b = s->r0 - y * (s->r0 + s->r1 - 2.0);
    double d = b - 2.0 * y;
    double below = b + sqrt(d * d + 4.0 * y * (1.0 - y));
    if (!(below > 0.0))
        return 0.0; /* starts from rest, on the edge */
    double u = 2.0 * y / below;
    return u < 1.0 ? u : 1.0;
}

/* The part of the step in which the pick-up is loud enough: all, none, or the fast side of where
 * the speed passes the threshold, (S-4). Moves *first or *last there; false if nothing is left. */
static bool cut_to_heard(const struct span *s, double hz0, double hz1, double threshold_hz,
                         double *first, double *last)
{
    double f0 = fabs(hz0), f1 = fabs(hz1);
    bool heard0 = f0 >= threshold_hz, heard1 = f1 >= threshold_hz;
    if (!heard0 && !heard1)
        return false;
    if (heard0 != heard1) {
        double limit = whole_below(span_at(s, (threshold_hz - f0) / (f1 - f0)));
        *(heard0 ? last : first) = limit;
    }
    return *first != *last;
}

/* An edge at time_s: with jitter, never before the last one, never after the step's end. */
static int64_t stamp_edge(const struct toothed_model *m, struct toothed_state *s, int i,
                          double time_s, double end_s)
{
    if (m->jitter_s > 0.0) {
        double t = time_s + m->jitter_s * random_gauss(&s->random[i]);
        time_s = t < end_s ? t : end_s;
    }
    int64_t t_ns = stamp(m, time_s);
    return t_ns > s->edge_ns[i] ? t_ns : s->edge_ns[i];
}

/* The wheel has left the tooth that it was on: counts the edges and stamps the last one. */
static void pass_edges(const struct toothed_model *m, struct toothed_state *s, int i, double p1,
                       double hz1, double time_s, double dt_s)
{
    double p0 = s->last.teeth[i], hz0 = s->last.teeth_hz[i];
    double first = s->tooth[i], last = whole_below(p1);
    if (first == last)
        return; /* the difference was rounded up to a tooth */
    s->tooth[i] = last;
    struct span span = span_make(p0, p1, hz0, hz1, dt_s);
    double slow_hz = fabs(hz0) < fabs(hz1) ? fabs(hz0) : fabs(hz1);
    if (slow_hz < m->threshold_hz && !cut_to_heard(&span, hz0, hz1, m->threshold_hz, &first, &last))
        return;
    /* Backwards, the last whole number passed lies above the end. */
    double passed = last - first;
    double u = span_find(&span, passed > 0.0 ? last : last + 1.0);
    s->edges[i] += (uint32_t)(int64_t)fabs(passed);
    s->edge_ns[i] = stamp_edge(m, s, i, time_s - (1.0 - u) * dt_s, time_s);
}

/* The unit's computation at the end of a cycle, (S-5): teeth since the last used edge over the time
 * between the edges. Without an edge the speed is below one tooth in the time waited so far. */
static void compute_speed(const struct toothed_model *m, struct toothed_state *s, int i,
                          int64_t now_ns)
{
    uint32_t bit = 1u << i;
    uint32_t passed = s->edges[i] - s->used_edges[i];
    if (passed > 0) {
        int64_t between_ns = s->edge_ns[i] - s->used_ns[i];
        if ((s->usable & bit) && between_ns > 0)
            s->speed_radps[i] = m->pitch_rad[i] * (double)passed * 1e9 / (double)between_ns;
        s->used_ns[i] = s->edge_ns[i];
        s->used_edges[i] = s->edges[i];
        s->usable |= bit;
        return;
    }
    int64_t waited_ns = now_ns - s->used_ns[i];
    if (waited_ns > m->timeout_ns) {
        s->speed_radps[i] = 0.0;
        s->usable &= ~bit;
    } else if (s->speed_radps[i] * (double)waited_ns > m->pitch_rad[i] * 1e9) {
        s->speed_radps[i] = m->pitch_rad[i] * 1e9 / (double)waited_ns;
    }
}

void toothed_reset(const struct toothed_model *m, struct toothed_state *s,
                   const struct toothed_phase *now, double time_s, uint64_t seed)
{
    *s = (struct toothed_state){.last = *now};
    for (int i = 0; i < WHEELS; i++) {
        double p = now->teeth[i], hz = now->teeth_hz[i];
        s->random[i] = random_stream(seed, (uint64_t)i);
        s->edge_ns[i] = stamp(m, time_s);
        if (!(fabs(p) < max_teeth)) {
            s->last.teeth[i] = 0.0;
            continue;
        }
        s->tooth[i] = whole_below(p);
        if (!(fabs(hz) > 0.0) || fabs(hz) < m->threshold_hz)
            continue;
        /* The last whole number was passed this many teeth ago. */
        double since = p - s->tooth[i];
        if (hz < 0.0)
            since = 1.0 - since;
        double since_s = since / fabs(hz);
        if (since_s < m->timeout_s) {
            s->edge_ns[i] = stamp(m, time_s - since_s);
            s->speed_radps[i] = fabs(hz) * m->pitch_rad[i];
            s->usable |= 1u << i;
        }
    }
    for (int i = 0; i < WHEELS; i++)
        s->used_ns[i] = s->edge_ns[i];
}

void toothed_step(const struct toothed_model *m, struct toothed_state *s,
                  const struct toothed_phase *now, double time_s, double dt_s)
{
    for (int i = 0; i < WHEELS; i++) {
        double p1 = now->teeth[i], hz1 = now->teeth_hz[i];
        double ahead = p1 - s->tooth[i];
        if (!(ahead >= 0.0 && ahead < 1.0)) {
            if (!(fabs(p1) < max_teeth))
                continue; /* not finite: keep the last trusted angle */
            pass_edges(m, s, i, p1, hz1, time_s, dt_s);
        }
        s->last.teeth[i] = p1;
        s->last.teeth_hz[i] = hz1;
    }
    if (++s->cycle_tick < m->cycle_ticks)
        return;
    s->cycle_tick = 0;
    int64_t now_ns = stamp(m, time_s);
    for (int i = 0; i < WHEELS; i++)
        compute_speed(m, s, i, now_ns);
}
