/* Random numbers whose bits are the same on every CPU: integers until the last step.
 *
 * The state is one word, so it lives inside the state of whatever draws from it and is saved,
 * hashed and restored with it. */
#ifndef SKIDPAD_MODEL_MATH_RANDOM_H
#define SKIDPAD_MODEL_MATH_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea and Flood 2014). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Where stream number `stream` of a seed starts: two draws deep, so that neighbouring seeds and
 * streams share nothing. */
static inline uint64_t random_stream(uint64_t seed, uint64_t stream)
{
    uint64_t a = seed;
    uint64_t b = random_next(&a) ^ stream;
    return random_next(&b);
}

/* The sum of the eight 16-bit numbers in two words. For independent uniform words it is nearly
 * normal: kurtosis 2.85 instead of 3, never beyond +-4.9 standard deviations. */
static inline uint64_t random_sum(uint64_t a, uint64_t b)
{
    const uint64_t mask = 0x0000ffff0000ffffu;
    uint64_t pairs = (a & mask) + ((a >> 16) & mask) + (b & mask) + ((b >> 16) & mask);
    return (pairs & 0xffffffffu) + (pairs >> 32);
}
#define RANDOM_MEAN          262140.0               /* 8 * 65535 / 2 */
#define RANDOM_PER_DEVIATION 1.8688123650118534e-05 /* 1 / sqrt(8 * (65536^2 - 1) / 12) */

/* Mean 0, standard deviation 1, nearly normal. */
static inline double random_gauss(uint64_t *state)
{
    uint64_t a = random_next(state), b = random_next(state);
    return ((double)(int64_t)random_sum(a, b) - RANDOM_MEAN) * RANDOM_PER_DEVIATION;
}

#endif
