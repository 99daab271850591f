#include "target/model/sensor_bank.h"

#include "target/model/math/random.h"
#include "target/model/math/vecmath.h"

#include <string.h> /* memcpy only */

#define TWO_PI 6.283185307179586476925

static const double no_limit = 1e300;

struct sensor_error sensor_ideal(void)
{
    return (struct sensor_error){.gain = 1.0, .low = -no_limit, .high = no_limit};
}

uint32_t sensor_delay_ticks(double delay_s, double step_s)
{
    double ticks = delay_s / step_s + 0.5;
    if (!(ticks < 1e9))
        return 1000000000u; /* more than any memory holds */
    return (uint32_t)ticks;
}

static uint32_t stages_of(const struct sensor_error *e, uint32_t delay_ticks)
{
    uint32_t stages = 0;
    if (e->bandwidth_hz > 0.0)
        stages |= SENSOR_STAGE_BANDWIDTH;
    if (e->gain != 1.0 || e->bias != 0.0)
        stages |= SENSOR_STAGE_SCALE;
    if (e->noise > 0.0)
        stages |= SENSOR_STAGE_NOISE;
    if (e->resolution > 0.0)
        stages |= SENSOR_STAGE_RESOLUTION;
    if (e->low > -no_limit || e->high < no_limit)
        stages |= SENSOR_STAGE_RANGE;
    if (delay_ticks > 0)
        stages |= SENSOR_STAGE_DELAY;
    return stages;
}

uint64_t sensor_bank_prepare(struct sensor_bank_model *m, const struct sensor_error *errors,
                             int count, double step_s)
{
    const struct sensor_error ideal = sensor_ideal();
    uint64_t used = 0;
    *m = (struct sensor_bank_model){0};
    for (int c = 0; c < SENSOR_BANK; c++) {
        const struct sensor_error *e = c < count ? &errors[c] : &ideal;
        m->keep[c] = e->bandwidth_hz > 0.0 ? vm_exp(-TWO_PI * e->bandwidth_hz * step_s) : 0.0;
        m->follow[c] = 1.0 - m->keep[c];
        m->gain[c] = e->gain;
        m->bias[c] = e->bias;
        m->noise[c] = e->noise * RANDOM_PER_DEVIATION;
        m->resolution[c] = e->resolution;
        m->per_resolution[c] = e->resolution > 0.0 ? 1.0 / e->resolution : 0.0;
        m->low[c] = e->low;
        m->high[c] = e->high;
        m->delay_first[c] = (uint32_t)used;
        m->delay_ticks[c] = sensor_delay_ticks(e->delay_s, step_s);
        used += m->delay_ticks[c];
        m->stages |= stages_of(e, m->delay_ticks[c]);
    }
    return used;
}

/* (S-9), solved exactly over the step. */
static void limit_bandwidth(const struct sensor_bank_model *restrict m,
                            struct sensor_bank_state *restrict s, double *restrict x)
{
    for (int c = 0; c < SENSOR_BANK; c++) {
        s->filtered[c] = m->keep[c] * s->filtered[c] + m->follow[c] * x[c];
        x[c] = s->filtered[c];
    }
}

/* (S-10) */
static void scale(const struct sensor_bank_model *restrict m, double *restrict x)
{
    for (int c = 0; c < SENSOR_BANK; c++)
        x[c] = m->gain[c] * x[c] + m->bias[c];
}

/* (S-11): xorshift128+ (Vigna 2014), as it needs no multiplication and so runs on pairs. The sum of
 * a draw's eight 16-bit numbers becomes a double by writing it below the exponent of 2^52. */
static void add_noise(const struct sensor_bank_model *restrict m,
                      struct sensor_bank_state *restrict s, double *restrict x)
{
    uint64_t bits[SENSOR_BANK];
    double sum[SENSOR_BANK];
    for (int c = 0; c < SENSOR_BANK; c++) {
        uint64_t t = s->random[0][c], u = s->random[1][c];
        t ^= t << 23;
        t ^= u ^ (t >> 18) ^ (u >> 5);
        s->random[0][c] = u;
        s->random[1][c] = t;
        bits[c] = 0x4330000000000000u | random_sum(t + u, t);
    }
    memcpy(sum, bits, sizeof sum);
    for (int c = 0; c < SENSOR_BANK; c++)
        x[c] += m->noise[c] * (sum[c] - (4503599627370496.0 + RANDOM_MEAN));
}

/* (S-12): to the nearest step, halves to even. Adding 1.5 * 2^52 leaves a double no room for a
 * fraction: two additions, no call, the same bits everywhere, exact below 2^51 steps. */
static void quantise(const struct sensor_bank_model *restrict m, double *restrict x)
{
    const double no_fraction = 6755399441055744.0;
    for (int c = 0; c < SENSOR_BANK; c++) {
        double steps = x[c] * m->per_resolution[c] + no_fraction;
        double rounded = m->resolution[c] * (steps - no_fraction);
        x[c] = m->resolution[c] > 0.0 ? rounded : x[c];
    }
}

static void limit_range(const struct sensor_bank_model *restrict m, double *restrict x)
{
    for (int c = 0; c < SENSOR_BANK; c++) {
        double y = x[c] < m->low[c] ? m->low[c] : x[c];
        x[c] = y > m->high[c] ? m->high[c] : y;
    }
}

static void delay(const struct sensor_bank_model *m, struct sensor_bank_state *s, double *delays,
                  double *x)
{
    for (int c = 0; c < SENSOR_BANK; c++)
        if (m->delay_ticks[c] > 0)
            x[c] =
                sensor_delay(&delays[m->delay_first[c]], &s->delay_at[c], m->delay_ticks[c], x[c]);
}

void sensor_bank_settled(const struct sensor_bank_model *m, double x[SENSOR_BANK])
{
    if (m->stages & SENSOR_STAGE_SCALE)
        scale(m, x);
    if (m->stages & SENSOR_STAGE_RESOLUTION)
        quantise(m, x);
    if (m->stages & SENSOR_STAGE_RANGE)
        limit_range(m, x);
}

void sensor_bank_reset(const struct sensor_bank_model *m, struct sensor_bank_state *s,
                       double *delays, const double x[SENSOR_BANK], uint64_t seed)
{
    double y[SENSOR_BANK];
    *s = (struct sensor_bank_state){0};
    memcpy(s->filtered, x, sizeof s->filtered);
    memcpy(y, x, sizeof y);
    sensor_bank_settled(m, y);
    for (int c = 0; c < SENSOR_BANK; c++) {
        uint64_t stream = random_stream(seed, (uint64_t)c);
        s->random[0][c] = random_next(&stream);
        s->random[1][c] = random_next(&stream) | 1u; /* both zero would stay zero */
        for (uint32_t i = 0; i < m->delay_ticks[c]; i++)
            delays[m->delay_first[c] + i] = y[c];
    }
}

void sensor_bank_step(const struct sensor_bank_model *m, struct sensor_bank_state *s,
                      double *delays, double x[SENSOR_BANK])
{
    if (m->stages == 0)
        return;
    if (m->stages & SENSOR_STAGE_BANDWIDTH)
        limit_bandwidth(m, s, x);
    if (m->stages & SENSOR_STAGE_SCALE)
        scale(m, x);
    if (m->stages & SENSOR_STAGE_NOISE)
        add_noise(m, s, x);
    if (m->stages & SENSOR_STAGE_RESOLUTION)
        quantise(m, x);
    if (m->stages & SENSOR_STAGE_RANGE)
        limit_range(m, x);
    if (m->stages & SENSOR_STAGE_DELAY)
        delay(m, s, delays, x);
}
