#include "target/ecu/wheel_speed.h"

#include <math.h>

#define TWO_PI 6.283185307179586476925

/* A wheel that is held at its last speed for longer has really changed it. */
enum { HELD_MAX = 3 };

double wheel_pitch_m(const struct car_params *car, int wheel)
{
    return TWO_PI * car->radius_m[wheel] / car->teeth[wheel];
}

/* Difference of two modulo values, 0 .. modulus. */
static double modulo_difference(double now, double before, double modulus)
{
    double d = now - before;
    return d < 0.0 ? d + modulus : d;
}

/* Time between the last edge before and the last edge now. The sender's clock tells it to the
 * microsecond but modulo; the arrival of the frames tells how often the clock went round. */
static double span_s(const struct wheel_speed_params *p, const struct wheel_speed *w,
                     double edge_us, int64_t frame_ns)
{
    double span_us = modulo_difference(edge_us, w->edge_us, p->time_modulus_us);
    double waited_us = 1e-3 * (double)(frame_ns - w->edge_ns);
    double rounds = rint((waited_us - span_us) / p->time_modulus_us);
    return 1e-6 * (span_us + fmax(rounds, 0.0) * p->time_modulus_us);
}

/* Takes a new speed over, unless no wheel could get there from the last one. */
static void take_speed(const struct wheel_speed_params *p, double speed_mps, double span,
                       struct wheel_speed *w)
{
    /* Both speeds are means over their spans: they are half of each apart. */
    double apart_s = 0.5 * (span + w->span_s);
    double accel = apart_s > 0.0 ? (speed_mps - w->speed_mps) / apart_s : 0.0;
    double share = apart_s / (apart_s + p->filter_s);
    if (fabs(accel) > p->jump_mps2 && w->held < HELD_MAX && w->span_s > 0.0) {
        w->held++;
        w->jumps++;
        return;
    }
    w->held = 0;
    w->speed_mps = w->edge_mps = speed_mps;
    w->accel_mps2 += share * (accel - w->accel_mps2);
    w->span_s = span;
}

static void new_edges(const struct wheel_speed_params *p, double pitch_m, double count,
                      double edge_us, int64_t frame_ns, struct wheel_speed *w)
{
    double span = span_s(p, w, edge_us, frame_ns);
    if (w->moving && span > 0.0 && span < p->standstill_s)
        take_speed(p, count * pitch_m / span, span, w);
    else
        w->span_s = 0.0; /* the first edge only starts a measurement */
    w->moving = 1;
    w->vanished = 0;
    w->edge_us = edge_us;
    w->edge_ns = frame_ns;
}

/* One pitch at most has passed since the last edge. */
static void no_edge(const struct wheel_speed_params *p, double pitch_m, int64_t frame_ns,
                    struct wheel_speed *w)
{
    double waited = 1e-9 * (double)(frame_ns - w->edge_ns);
    double most = waited > 0.0 ? pitch_m / waited : w->speed_mps;
    if (waited >= p->standstill_s) {
        /* Within a pitch s a wheel at v stops with v^2 / 2 s at least. */
        if (w->moving)
            w->vanished = w->edge_mps * w->edge_mps > 3.0 * pitch_m * p->jump_mps2;
        w->speed_mps = w->accel_mps2 = w->span_s = 0.0;
        w->moving = 0;
    } else if (most < w->speed_mps) {
        double share = ECU_CYCLE_S / (ECU_CYCLE_S + p->filter_s);
        w->accel_mps2 += share * ((most - w->speed_mps) / ECU_CYCLE_S - w->accel_mps2);
        w->speed_mps = most;
    }
}

void wheel_speed_step(const struct wheel_speed_params *p, double pitch_m,
                      const struct ecu_source *source, double edges, double edge_us,
                      struct wheel_speed *w)
{
    if (source->frames == w->frames)
        return;
    w->frames = source->frames;
    if (!w->started) {
        w->started = 1;
        w->edge_us = edge_us;
        w->edge_ns = source->time_ns;
        w->edges = edges;
        return;
    }
    double count = modulo_difference(edges, w->edges, p->edge_modulus);
    w->edges = edges;
    if (count > 0.0)
        new_edges(p, pitch_m, count, edge_us, source->time_ns, w);
    else
        no_edge(p, pitch_m, source->time_ns, w);
}
