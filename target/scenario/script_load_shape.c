#include "target/scenario/script_load_shape.h"

#include <math.h>
#include <stdlib.h>

/* Chords of 1/256 of a cycle are off a sine by 8e-5 of its amplitude at most. */
enum { PER_CYCLE = 256, ROWS_MAX = 200000 };

struct sine {
    double begin_s, amplitude, frequency_hz, cycles, dwell_s;
};

static double *sine_rows(const struct sine *s, size_t *rows)
{
    static const double two_pi = 6.28318530717958647692;
    size_t steps = (size_t)(s->cycles * PER_CYCLE + 0.5);
    size_t dwell_at = steps >= PER_CYCLE / 4 ? steps - PER_CYCLE / 4 : steps;
    double *v = malloc(2 * (steps + 3) * sizeof *v), wait_s = 0.0;
    *rows = 0;
    if (!v)
        return NULL;
    if (s->begin_s > 0.0) {
        v[0] = v[1] = 0.0;
        *rows = 1;
    }
    for (size_t i = 0; i <= steps; i++) {
        double cycle = (double)i / PER_CYCLE;
        int more = i == dwell_at && s->dwell_s > 0.0 ? 1 : 0;
        for (int twice = 0; twice <= more; twice++) {
            wait_s = twice ? s->dwell_s : wait_s;
            v[2 * *rows] = s->begin_s + cycle / s->frequency_hz + wait_s;
            v[2 * *rows + 1] = i == steps ? 0.0 : s->amplitude * sin(two_pi * cycle);
            (*rows)++;
        }
    }
    return v;
}

double *script_shape(const struct cfg_node *shape, size_t *rows)
{
    struct sine s = {.frequency_hz = 1.0, .cycles = 1.0};
    const struct cfg_node *n = cfg_need_map(shape, "sine");
    *rows = 0;
    cfg_need(n, "amplitude");
    cfg_double(n, "begin_s", &s.begin_s, CFG_BETWEEN(0.0, 1e4));
    cfg_double(n, "amplitude", &s.amplitude, CFG_ANY);
    cfg_double(n, "frequency_hz", &s.frequency_hz, CFG_BETWEEN(0.001, 100.0));
    cfg_double(n, "cycles", &s.cycles, CFG_BETWEEN(0.25, (double)ROWS_MAX / PER_CYCLE));
    cfg_double(n, "dwell_s", &s.dwell_s, CFG_BETWEEN(0.0, 100.0));
    cfg_done(n);
    cfg_done(shape);
    double *v = sine_rows(&s, rows);
    if (!v)
        cfg_complain(shape, NULL, "out of memory");
    return v;
}
