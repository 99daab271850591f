#include "target/model/state_info.h"

#include "shared/base/hash.h"

static const void *place(const struct state_info *info, const void *state, uint32_t i)
{
    size_t bytes = info->type == STATE_i32 || info->type == STATE_u32 ? 4 : 8;
    return (const char *)state + info->offset + i * bytes;
}

/* The bits as a number of 64; negative ones keep their sign. */
static uint64_t bits_of(const struct state_info *info, const void *state, uint32_t i)
{
    const void *at = place(info, state, i);
    uint64_t whole;
    int32_t half;
    uint32_t plain;
    switch (info->type) {
    case STATE_i32:
        memcpy(&half, at, sizeof half);
        return (uint64_t)(int64_t)half;
    case STATE_u32:
        memcpy(&plain, at, sizeof plain);
        return plain;
    default:
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
}

double state_value(const struct state_info *info, const void *state, uint32_t i)
{
    uint64_t bits = bits_of(info, state, i);
    double value;
    switch (info->type) {
    case STATE_f64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case STATE_i64:
    case STATE_i32:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

uint64_t state_hash(const struct state_table *t, const void *state, uint64_t hash)
{
    for (size_t k = 0; k < t->count; k++)
        for (uint32_t i = 0; i < t->info[k].count; i++)
            hash = hash_u64(hash, bits_of(&t->info[k], state, i));
    return hash;
}

size_t state_count(const struct state_table *t, int kind)
{
    size_t n = 0;
    for (size_t k = 0; k < t->count; k++)
        if (kind == STATE_KINDS || t->info[k].kind == kind)
            n += t->info[k].count;
    return n;
}
