#include "shared/can/protect.h"

#include "shared/can/crc.h"
#include "shared/can/msg.h"

#include <stddef.h>
#include <string.h>

/* Fields over several bytes are rare: kept out of the way of those in one. */
static __attribute__((noinline)) uint32_t wide_get(const uint8_t *data, unsigned at, unsigned bits,
                                                   bool big)
{
    unsigned byte = at / 8, shift = at % 8;
    uint64_t value = (uint64_t)data[byte] >> shift;
    for (unsigned have = 8 - shift; have < bits; have += 8) {
        byte = big ? byte - 1 : byte + 1;
        value |= (uint64_t)data[byte] << have;
    }
    return (uint32_t)(value & (((uint64_t)1 << bits) - 1));
}

static inline uint32_t bits_get(const uint8_t *data, unsigned at, unsigned bits, bool big)
{
    unsigned shift = at % 8;
    if (shift + bits > 8)
        return wide_get(data, at, bits, big);
    return (unsigned)data[at / 8] >> shift & ((1u << bits) - 1);
}

static __attribute__((noinline)) void wide_put(uint8_t *data, unsigned at, unsigned bits, bool big,
                                               uint32_t value)
{
    unsigned byte = at / 8, shift = at % 8;
    uint64_t mask = (((uint64_t)1 << bits) - 1) << shift, moved = (uint64_t)value << shift;
    for (;;) {
        data[byte] = (uint8_t)((data[byte] & ~mask) | (moved & mask));
        mask >>= 8;
        moved >>= 8;
        if (mask == 0)
            return;
        byte = big ? byte - 1 : byte + 1;
    }
}

static inline void bits_put(uint8_t *data, unsigned at, unsigned bits, bool big, uint32_t value)
{
    unsigned shift = at % 8;
    if (shift + bits > 8) {
        wide_put(data, at, bits, big, value);
        return;
    }
    unsigned ones = ((1u << bits) - 1) << shift;
    data[at / 8] = (uint8_t)((data[at / 8] & ~ones) | (value << shift & ones));
}

void protect_profile(struct protect_rule *r, enum protect_profile profile, uint8_t length)
{
    static const struct {
        uint8_t sum, id_mode, counter_bits, counter_last;
        uint16_t start, xor_out;
    } of[PROTECT_PROFILES] = {
        [PROTECT_NONE] = {PROTECT_NO_SUM, PROTECT_ID_NONE, 0, 0, 0, 0},
        /* Profile 1 calls the J1850 routine so that its start value and final exclusive-or cancel
         * out: both are 0. 15 is no counter. */
        [PROTECT_E2E_1A] = {PROTECT_CRC8_1D, PROTECT_ID_BOTH_FIRST, 4, 14, 0, 0},
        [PROTECT_E2E_1B] = {PROTECT_CRC8_1D, PROTECT_ID_ALTERNATING, 4, 14, 0, 0},
        [PROTECT_E2E_1C] = {PROTECT_CRC8_1D, PROTECT_ID_NIBBLE, 4, 14, 0, 0},
        [PROTECT_E2E_1_LOW] = {PROTECT_CRC8_1D, PROTECT_ID_LOW_FIRST, 4, 14, 0, 0},
        [PROTECT_E2E_2] = {PROTECT_CRC8_2F, PROTECT_ID_LIST_LAST, 4, 15, 0xff, 0xff},
        [PROTECT_E2E_5] = {PROTECT_CRC16_1021, PROTECT_ID_BOTH_LAST, 8, 255, 0xffff, 0},
        [PROTECT_PLAIN_1D] = {PROTECT_CRC8_1D, PROTECT_ID_NONE, 4, 15, 0xff, 0xff},
        [PROTECT_PLAIN_2F] = {PROTECT_CRC8_2F, PROTECT_ID_NONE, 4, 15, 0xff, 0xff},
        [PROTECT_PLAIN_ADD] = {PROTECT_ADD, PROTECT_ID_NONE, 4, 15, 0, 0},
        [PROTECT_PLAIN_XOR] = {PROTECT_XOR, PROTECT_ID_NONE, 4, 15, 0, 0},
        [PROTECT_COUNTER] = {PROTECT_NO_SUM, PROTECT_ID_NONE, 4, 15, 0, 0},
    };
    *r = (struct protect_rule){.sum = of[profile].sum,
                               .length = length,
                               .end = length,
                               .id_mode = of[profile].id_mode,
                               .counter_bits = of[profile].counter_bits,
                               .counter_at = profile == PROTECT_E2E_5 ? 16 : 8,
                               .nibble_at = 12,
                               .counter_last = of[profile].counter_last,
                               .start = of[profile].start,
                               .xor_out = of[profile].xor_out,
                               .lost_max = 1};
}

static unsigned sum_bytes(const struct protect_rule *r)
{
    return r->sum == PROTECT_NO_SUM ? 0 : r->sum == PROTECT_CRC16_1021 ? 2 : 1;
}

static bool by_counter(const struct protect_rule *r)
{
    return r->id_mode == PROTECT_ID_ALTERNATING || r->id_mode == PROTECT_ID_LIST_FIRST ||
           r->id_mode == PROTECT_ID_LIST_LAST;
}

/* The bits a field takes, as a set for each byte; false if it leaves the frame. */
static bool take_bits(uint8_t *taken, unsigned length, unsigned at, unsigned bits, bool big)
{
    unsigned bytes = (at % 8 + bits + 7) / 8, byte = at / 8;
    if (byte >= length || (big ? bytes > byte + 1 : byte + bytes > length))
        return false;
    uint8_t ones[CAN_MSG_DATA] = {0};
    bits_put(ones, at, bits, big, UINT32_MAX);
    for (unsigned i = 0; i < length; i++) {
        if (taken[i] & ones[i])
            return false;
        taken[i] |= ones[i];
    }
    return true;
}

static const char *check_counter(const struct protect_rule *r, uint8_t *taken)
{
    if (r->counter_bits == 0)
        return by_counter(r) ? "the data id follows the counter, but there is no counter" : NULL;
    if (r->counter_bits > PROTECT_COUNTER_BITS)
        return "the counter has more than 32 bits";
    if (!take_bits(taken, r->length, r->counter_at, r->counter_bits, r->counter_big))
        return "the counter is on top of the checksum or not inside the frame";
    uint64_t most = ((uint64_t)1 << r->counter_bits) - 1;
    if (r->counter_last > most || r->counter_last < 1)
        return "the counter's last value must be at least 1 and fit into its bits";
    return NULL;
}

/* Bytes of the data id around the data: before[0..n) and behind[0..m). */
struct id_bytes {
    uint8_t byte[2];
    unsigned first, last; /* how many stand before and behind the data */
};

static struct id_bytes id_of(const struct protect_rule *r, const uint8_t *data)
{
    uint8_t low = (uint8_t)r->data_id, high = (uint8_t)(r->data_id >> 8);
    uint32_t counter = by_counter(r) ? protect_counter(r, data) : 0;
    switch ((enum protect_id)r->id_mode) {
    case PROTECT_ID_LOW_FIRST:
        return (struct id_bytes){{low, 0}, 1, 0};
    case PROTECT_ID_BOTH_FIRST:
        return (struct id_bytes){{low, high}, 2, 0};
    case PROTECT_ID_ALTERNATING:
        return (struct id_bytes){{counter & 1 ? high : low, 0}, 1, 0};
    case PROTECT_ID_NIBBLE:
        return (struct id_bytes){{low, 0}, 2, 0};
    case PROTECT_ID_LIST_FIRST:
        return (struct id_bytes){{r->data_ids[counter % PROTECT_IDS], 0}, 1, 0};
    case PROTECT_ID_LOW_LAST:
        return (struct id_bytes){{low, 0}, 0, 1};
    case PROTECT_ID_BOTH_LAST:
        return (struct id_bytes){{low, high}, 0, 2};
    case PROTECT_ID_LIST_LAST:
        return (struct id_bytes){{r->data_ids[counter % PROTECT_IDS], 0}, 0, 1};
    case PROTECT_ID_NONE:
        break;
    }
    return (struct id_bytes){{0, 0}, 0, 0};
}

static const uint8_t *crc8_table_of(const struct protect_rule *r)
{
    return r->sum == PROTECT_CRC8_1D ? crc8_1d_table : crc8_2f_table;
}

/* A CRC-8 at the beginning or end of what it covers, an id that never changes and is not sent, a
 * counter inside one byte: the usual frame. */
static void find_fast_way(struct protect_rule *r)
{
    static const uint8_t no_data[CAN_MSG_DATA];
    bool front = r->sum_at <= r->first, back = r->sum_at + 1 >= r->end;
    struct id_bytes id = id_of(r, no_data);
    if ((r->sum != PROTECT_CRC8_1D && r->sum != PROTECT_CRC8_2F) || by_counter(r) || id.last > 0 ||
        r->id_mode == PROTECT_ID_NIBBLE || (!front && !back) ||
        r->counter_at % 8 + r->counter_bits > 8)
        return;
    r->fast = 1;
    r->seed = crc8_run(crc8_table_of(r), (uint8_t)r->start, id.byte, id.first);
    r->from = (uint8_t)(r->sum_at == r->first ? r->first + 1 : r->first);
    r->to = r->sum_at + 1 == r->end && r->sum_at > r->first ? r->sum_at : r->end;
    r->counter_byte = r->counter_bits > 0 ? (uint8_t)(r->counter_at / 8) : 0;
    r->counter_shift = r->counter_at % 8;
    r->counter_mask = (uint8_t)(((1u << r->counter_bits) - 1) << r->counter_shift);
}

const char *protect_check(struct protect_rule *r)
{
    r->fast = 0;
    uint8_t taken[CAN_MSG_DATA] = {0};
    if (r->length > CAN_MSG_DATA)
        return "the frame is longer than 64 bytes";
    if (r->sum > PROTECT_XOR || r->id_mode > PROTECT_ID_LIST_LAST)
        return "unknown checksum or data id mode";
    unsigned width = sum_bytes(r);
    if (r->sum_at + width > r->length)
        return "the checksum is not inside the frame";
    if (r->first > r->end || r->end > r->length)
        return "the bytes of the checksum must be inside the frame";
    if (width > 0)
        memset(taken + r->sum_at, 0xff, width);
    if (r->id_mode == PROTECT_ID_NIBBLE && !take_bits(taken, r->length, r->nibble_at, 4, false))
        return "the data id's nibble is on top of another field or not inside the frame";
    const char *wrong = check_counter(r, taken);
    if (!wrong)
        find_fast_way(r);
    return wrong;
}

/* The bytes that the checksum covers: those of the id before the data, the data around the checksum
 * itself, those of the id behind. */
#define EACH_BYTE(r, data, id, step)                                                               \
    do {                                                                                           \
        const uint8_t *byte = (id).byte, *end = byte + (id).first;                                 \
        for (; byte < end; byte++)                                                                 \
            step;                                                                                  \
        end = (data) + ((r)->sum_at < (r)->end ? (r)->sum_at : (r)->end);                          \
        for (byte = (data) + (r)->first; byte < end; byte++)                                       \
            step;                                                                                  \
        unsigned behind = (r)->sum_at + sum_bytes(r);                                              \
        byte = (data) + (behind > (r)->first ? behind : (r)->first);                               \
        for (end = (data) + (r)->end; byte < end; byte++)                                          \
            step;                                                                                  \
        byte = (id).byte;                                                                          \
        for (end = byte + (id).last; byte < end; byte++)                                           \
            step;                                                                                  \
    } while (0)

static inline unsigned crc8_of(const uint8_t table[256], const struct protect_rule *r,
                               const uint8_t *data, struct id_bytes id)
{
    uint8_t crc = (uint8_t)r->start;
    EACH_BYTE(r, data, id, crc = crc8_add(table, crc, *byte));
    return crc;
}

static inline uint8_t fast_sum(const struct protect_rule *r, const uint8_t *data)
{
    const uint8_t *table = crc8_table_of(r), *byte = data + r->from, *end = data + r->to;
    uint8_t crc = r->seed;
    for (; end - byte >= 3; byte += 3) {
        crc = crc8_add(table, crc, byte[0]);
        crc = crc8_add(table, crc, byte[1]);
        crc = crc8_add(table, crc, byte[2]);
    }
    for (; byte < end; byte++)
        crc = crc8_add(table, crc, *byte);
    return (uint8_t)(crc ^ r->xor_out);
}

static unsigned sum_of(const struct protect_rule *r, const uint8_t *data)
{
    struct id_bytes id = id_of(r, data);
    unsigned sum = r->start;
    uint16_t crc = r->start;
    switch (r->sum) {
    case PROTECT_CRC8_1D:
        sum = crc8_of(crc8_1d_table, r, data, id);
        break;
    case PROTECT_CRC8_2F:
        sum = crc8_of(crc8_2f_table, r, data, id);
        break;
    case PROTECT_CRC16_1021:
        EACH_BYTE(r, data, id, crc = crc16_add(crc16_1021_table, crc, *byte));
        sum = crc;
        break;
    case PROTECT_ADD:
        EACH_BYTE(r, data, id, sum = (sum + *byte) & 0xff);
        break;
    default:
        EACH_BYTE(r, data, id, sum ^= *byte);
        break;
    }
    return sum ^ r->xor_out;
}

uint32_t protect_counter(const struct protect_rule *r, const uint8_t *data)
{
    return r->counter_bits > 0 ? bits_get(data, r->counter_at, r->counter_bits, r->counter_big) : 0;
}

void protect_seal(const struct protect_rule *r, uint8_t *data)
{
    if (r->id_mode == PROTECT_ID_NIBBLE)
        bits_put(data, r->nibble_at, 4, false, r->data_id >> 8 & 0xf);
    if (r->sum == PROTECT_NO_SUM)
        return;
    unsigned sum = sum_of(r, data);
    data[r->sum_at] = (uint8_t)sum;
    if (r->sum == PROTECT_CRC16_1021)
        data[r->sum_at + 1] = (uint8_t)(sum >> 8);
}

static uint32_t wrapped(const struct protect_rule *r, uint32_t counter)
{
    return r->counter_last < UINT32_MAX ? counter % (r->counter_last + 1) : counter;
}

static __attribute__((noinline)) void apply_any(const struct protect_rule *r, uint32_t counter,
                                                uint8_t *data)
{
    if (r->counter_bits > 0)
        bits_put(data, r->counter_at, r->counter_bits, r->counter_big, wrapped(r, counter));
    protect_seal(r, data);
}

void protect_apply(const struct protect_rule *r, uint32_t counter, uint8_t *data)
{
    if (!r->fast) {
        apply_any(r, counter, data);
        return;
    }
    unsigned moved = wrapped(r, counter) << r->counter_shift, mask = r->counter_mask;
    data[r->counter_byte] = (uint8_t)((data[r->counter_byte] & ~mask) | (moved & mask));
    data[r->sum_at] = fast_sum(r, data);
}

static __attribute__((noinline)) bool any_right(const struct protect_rule *r, const uint8_t *data)
{
    if (r->id_mode == PROTECT_ID_NIBBLE &&
        bits_get(data, r->nibble_at, 4, false) != (r->data_id >> 8 & 0xfu))
        return false;
    if (r->sum == PROTECT_NO_SUM)
        return true;
    unsigned sum = data[r->sum_at];
    if (r->sum == PROTECT_CRC16_1021)
        sum |= (unsigned)data[r->sum_at + 1] << 8;
    return sum == (sum_of(r, data) & (r->sum == PROTECT_CRC16_1021 ? 0xffffu : 0xffu));
}

static inline bool sum_right(const struct protect_rule *r, const uint8_t *data)
{
    return r->fast ? data[r->sum_at] == fast_sum(r, data) : any_right(r, data);
}

/* The counter against the last one; PROTECT_REPEATED, _LOST, _SEQUENCE or 0. */
static unsigned follow_counter(const struct protect_rule *r, struct protect_status *s,
                               const uint8_t *data)
{
    uint32_t counter = protect_counter(r, data);
    if (counter > r->counter_last) {
        s->sequence++;
        return PROTECT_SEQUENCE;
    }
    uint64_t values = (uint64_t)r->counter_last + 1;
    uint32_t steps = (uint32_t)((counter + values - s->counter) % values);
    bool first = !s->started;
    s->counter = counter;
    s->started = 1;
    if (first || steps == 1)
        return 0;
    if (steps == 0) {
        s->repeated++;
        return PROTECT_REPEATED;
    }
    s->lost += steps - 1;
    if (steps - 1 <= r->lost_max)
        return PROTECT_LOST;
    s->sequence++;
    return PROTECT_SEQUENCE;
}

unsigned protect_verify(const struct protect_rule *r, struct protect_status *s, const uint8_t *data,
                        uint8_t length)
{
    unsigned fault = 0;
    if (length != r->length) {
        s->wrong_length++;
        return PROTECT_WRONG_LENGTH;
    }
    if (!sum_right(r, data)) {
        s->wrong_sum++;
        return PROTECT_WRONG_SUM;
    }
    if (r->counter_bits > 0)
        fault = follow_counter(r, s, data);
    if (!(fault & PROTECT_REFUSED))
        s->good++;
    return fault;
}
