/* Roughness by ISO 8608, docs/road.md: heights whose density falls with the square of the
 * wave number, on parallel tracks that are alike where waves are long and independent where they
 * are short. */
#include "target/model/math/random.h"
#include "target/model/math/vecmath.h"
#include "target/road/segments_load_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586476925

enum { ROWS = SEGMENTS_ROUGH_ROWS, TRACKS = SEGMENTS_ROUGH_TRACKS };
static const double row_m = SEGMENTS_ROUGH_ROW_M, track_m = SEGMENTS_ROUGH_TRACK_M;
/* The range of the standard, cycles a metre. */
static const double lowest_1pm = 0.011, highest_1pm = 2.83, reference_1pm = 0.1;

struct wave {
    double re, im;
};

/* In place; the sign of an inverse transform; no scaling. */
static void transform(struct wave *w, int count)
{
    for (int i = 1, j = 0; i < count; i++) {
        int bit = count >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct wave swap = w[i];
            w[i] = w[j];
            w[j] = swap;
        }
    }
    for (int span = 2; span <= count; span <<= 1) {
        for (int k = 0; k < span / 2; k++) {
            double s, c;
            vm_sincos(TWO_PI * (double)k / (double)span, &s, &c);
            for (int i = k; i < count; i += span) {
                struct wave *a = &w[i], *b = &w[i + span / 2];
                struct wave t = {c * b->re - s * b->im, c * b->im + s * b->re};
                *b = (struct wave){a->re - t.re, a->im - t.im};
                *a = (struct wave){a->re + t.re, a->im + t.im};
            }
        }
    }
}

/* How much of a wave a quadratic B-spline through its samples as weights keeps. */
static double passed(double wave_1pm)
{
    double x = 0.5 * TWO_PI * wave_1pm * row_m, sinc = vm_sin(x) / x;
    return sinc * sinc * sinc;
}

/* Amplitudes of the next track from those of the one beside it: (R-7b). */
static void next_track(struct wave *amplitude, double density_m3, bool is_first, uint64_t *random)
{
    double step_1pm = 1.0 / (ROWS * row_m);
    for (int i = 1; i < ROWS / 2; i++) {
        double wave_1pm = i * step_1pm;
        if (wave_1pm < lowest_1pm || wave_1pm > highest_1pm)
            continue;
        double ratio = reference_1pm / wave_1pm;
        /* z = sum of 2 Re(a e^..): its variance is 2 E|a|^2 = G dn. */
        double deviation_m = 0.5 * sqrt(density_m3 * ratio * ratio * step_1pm) / passed(wave_1pm);
        double alike = is_first ? 0.0 : vm_exp(-TWO_PI * wave_1pm * track_m);
        double fresh_m = deviation_m * sqrt(1.0 - alike * alike);
        amplitude[i].re = alike * amplitude[i].re + fresh_m * random_gauss(random);
        amplitude[i].im = alike * amplitude[i].im + fresh_m * random_gauss(random);
    }
}

/* The quadratic B-splines of one track with these weights, as a polynomial for each row. It is the
 * right track of its cells, and the left one of those before. */
static void fill_track(const struct wave *w, int track, struct segments_rough *table)
{
    for (int i = 0; i < ROWS; i++) {
        double p0 = 2.0 * w[i].re, p1 = 2.0 * w[(i + 1) % ROWS].re;
        double p2 = 2.0 * w[(i + 2) % ROWS].re;
        double c[3] = {0.5 * (p0 + p1), p1 - p0, 0.5 * ((p2 - p1) - (p1 - p0))};
        struct segments_rough *own = &table[i * TRACKS + track];
        for (int k = 0; k < 3; k++) {
            own->c[k] = (v2){c[k], 0.0};
            if (track > 0)
                own[-1].c[k][1] = c[k] - own[-1].c[k][0];
        }
    }
}

struct segments_rough *rough_build(double density_m3, uint64_t seed)
{
    struct segments_rough *table = aligned_alloc(64, sizeof *table * ROWS * TRACKS);
    struct wave *amplitude = calloc(ROWS, sizeof *amplitude), *w = calloc(ROWS, sizeof *w);
    if (table && amplitude && w) {
        uint64_t random = random_stream(seed, 0);
        memset(table, 0, sizeof *table * ROWS * TRACKS);
        for (int track = 0; track < TRACKS; track++) {
            next_track(amplitude, density_m3, track == 0, &random);
            memcpy(w, amplitude, sizeof *w * ROWS);
            transform(w, ROWS);
            fill_track(w, track, table);
        }
    } else {
        free(table);
        table = NULL;
    }
    free(amplitude);
    free(w);
    return table;
}
