#include "shared/can/codec.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double two_62 = 0x1p62, two_64 = 0x1p64;

/* ---- bits */

/* Nine-byte fields are rare: kept out of the way, so that the others need few registers. */
static __attribute__((noinline)) uint64_t nine_get(const struct can_field *f, const uint8_t *data)
{
    uint64_t word = code_load(data + f->byte, f->big_endian), ninth = data[f->byte + 8];
    if (f->big_endian)
        return (word << f->tail | ninth >> (8 - f->tail)) & f->mask;
    return (word >> f->shift | ninth << (64 - f->shift)) & f->mask;
}

static __attribute__((noinline)) void nine_put(const struct can_field *f, uint8_t *data,
                                               uint64_t raw)
{
    uint8_t *ninth = data + f->byte + 8;
    uint64_t word = code_load(data + f->byte, f->big_endian);
    unsigned int ones = (1u << f->tail) - 1, place = 0, bits;
    raw &= f->mask;
    if (f->big_endian) {
        place = 8u - f->tail;
        bits = (unsigned int)raw & ones;
        word = (word & ~(f->mask >> f->tail)) | raw >> f->tail;
    } else {
        bits = (unsigned int)(raw >> (64 - f->shift)) & ones;
        word = (word & ~(f->mask << f->shift)) | raw << f->shift;
    }
    *ninth = (uint8_t)((*ninth & ~(ones << place)) | bits << place);
    if (f->big_endian != CODE_CPU_BIG_ENDIAN)
        word = __builtin_bswap64(word);
    memcpy(data + f->byte, &word, sizeof word);
}

static inline uint64_t field_get(const struct can_field *f, const uint8_t *data)
{
    if (__builtin_expect(f->tail != 0, 0))
        return nine_get(f, data);
    return code_load(data + f->byte, f->big_endian) >> f->shift & f->mask;
}

static inline void field_put(const struct can_field *f, uint8_t *data, uint64_t raw)
{
    if (__builtin_expect(f->tail != 0, 0))
        nine_put(f, data, raw);
    else
        code_put_bits(f, data, raw);
}

/* Position of the first bit, counted in the order in which the signal runs through the bytes: from
 * the lowest bit of each byte up, or from the highest down. */
static uint32_t first_bit(const struct dbc_signal *s)
{
    return s->big_endian ? (s->start & ~7u) + (7 - s->start % 8) : s->start;
}

static int compile_field(const struct dbc_message *m, const struct dbc_signal *s,
                         struct can_field *f)
{
    uint32_t bytes = m->length < CAN_MSG_DATA ? m->length : CAN_MSG_DATA;
    uint32_t first = first_bit(s);
    if (s->length == 0 || s->length > DBC_SIGNAL_BITS || first >= 8 * bytes ||
        s->length > 8 * bytes - first)
        return -ERANGE;
    /* The eight bytes must lie inside the data. */
    uint32_t byte = first / 8 < CAN_MSG_DATA - 8 ? first / 8 : CAN_MSG_DATA - 8;
    uint32_t skip = first - 8 * byte;
    uint32_t tail = skip + s->length > 64 ? skip + s->length - 64 : 0;
    uint64_t mask = ~(uint64_t)0 >> (64 - s->length);
    *f = (struct can_field){
        .mask = mask,
        .byte = (uint8_t)byte,
        .shift = (uint8_t)(!s->big_endian ? skip
                           : tail         ? 0
                                          : 64 - skip - s->length),
        .tail = (uint8_t)tail,
        .big_endian = s->big_endian,
        .length = (uint8_t)s->length,
    };
    f->place = mask << f->shift;
    return 0;
}

/* ---- set-up */

/* Least and greatest raw value as far as int64_t holds them: 2^bits - 1, or the greatest double
 * below it. */
static void integer_limits(const struct can_code *code, double *low, double *high)
{
    uint32_t bits = code->field.length;
    if (code->sign || bits > 63)
        bits--;
    double power = (double)((uint64_t)1 << bits);
    *high = bits <= 53 ? power - 1.0 : power - (double)((uint64_t)1 << (bits - 53));
    *low = code->sign ? -power : 0.0;
}

int code_compile(const struct dbc_message *m, const struct dbc_signal *s, struct can_code *code)
{
    memset(code, 0, sizeof *code);
    int rc = compile_field(m, s, &code->field);
    if (rc)
        return rc;
    bool real =
        (s->type == DBC_FLOAT32 && s->length == 32) || (s->type == DBC_FLOAT64 && s->length == 64);
    code->factor = s->factor;
    code->offset = s->offset;
    if (s->type == DBC_SIGNED)
        code->sign = (uint64_t)1 << (s->length - 1);
    if (real)
        code->kind = s->type == DBC_FLOAT32 ? CODE_FLOAT32 : CODE_FLOAT64;
    else
        code->kind = s->type != DBC_SIGNED && s->length == 64 ? CODE_UNSIGNED64 : CODE_INTEGER;
    code->low = 1.0; /* above high: each value takes the longer way */
    if (!real && !code->field.tail)
        integer_limits(code, &code->low, &code->high);
    code->simple = code->kind == CODE_INTEGER && !code->field.tail;
    return 0;
}

/* ---- raw values */

uint64_t code_get_raw(const struct can_code *code, const uint8_t data[CAN_MSG_DATA])
{
    return field_get(&code->field, data);
}

void code_put_raw(const struct can_code *code, uint8_t data[CAN_MSG_DATA], uint64_t raw)
{
    field_put(&code->field, data, raw);
}

int64_t code_get_int(const struct can_code *code, const uint8_t data[CAN_MSG_DATA])
{
    return code_extend(field_get(&code->field, data), code->sign);
}

/* ---- physical values */

static __attribute__((noinline)) double rare_value(const struct can_code *code, uint64_t raw)
{
    double number = (double)raw;
    if (code->kind == CODE_INTEGER) {
        number = (double)code_extend(raw, code->sign);
    } else if (code->kind == CODE_FLOAT32) {
        uint32_t bits = (uint32_t)raw;
        float x;
        memcpy(&x, &bits, sizeof x);
        number = (double)x;
    } else if (code->kind == CODE_FLOAT64) {
        memcpy(&number, &raw, sizeof number);
    }
    return number * code->factor + code->offset;
}

double code_value_of(const struct can_code *code, uint64_t raw)
{
    return rare_value(code, raw & code->field.mask);
}

static __attribute__((noinline)) double rare_get(const struct can_code *code, const uint8_t *data)
{
    return rare_value(code, field_get(&code->field, data));
}

double code_get(const struct can_code *code, const uint8_t data[CAN_MSG_DATA])
{
    if (__builtin_expect(!code->simple, 0))
        return rare_get(code, data);
    return code_get_simple(code, data);
}

static int float_bits(const struct can_code *code, double x, uint64_t *raw)
{
    int status = CODE_OK;
    bool narrow = code->kind == CODE_FLOAT32;
    double most = narrow ? (double)FLT_MAX : DBL_MAX;
    if (x != x)
        return CODE_NAN;
    if (fabs(x) > most) {
        status = x < 0.0 ? CODE_LOW : CODE_HIGH;
        x = x < 0.0 ? -most : most;
    }
    if (narrow) {
        float y = (float)x;
        uint32_t bits;
        memcpy(&bits, &y, sizeof bits);
        *raw = bits;
    } else {
        memcpy(raw, &x, sizeof *raw);
    }
    return status;
}

/* What is outside [low, high]: halves that round into it, wide fields, clamping, no number. */
static int rare_raw(const struct can_code *code, double x, uint64_t *raw)
{
    double low, high, nearest = rint(x);
    if (code->kind == CODE_FLOAT32 || code->kind == CODE_FLOAT64)
        return float_bits(code, x, raw);
    if (x != x)
        return CODE_NAN;
    integer_limits(code, &low, &high);
    if (nearest < low) {
        *raw = code->sign;
        return CODE_LOW;
    }
    if (nearest <= high) {
        *raw = (uint64_t)(int64_t)nearest;
        return CODE_OK;
    }
    if (code->kind == CODE_UNSIGNED64 && nearest < two_64) {
        *raw = (uint64_t)nearest;
        return CODE_OK;
    }
    *raw = code->sign ? code->sign - 1 : code->field.mask;
    return CODE_HIGH;
}

static inline bool is_plain(const struct can_code *code, double x)
{
    return x >= code->low && x <= code->high;
}

int code_raw_of(const struct can_code *code, double value, uint64_t *raw)
{
    double x = (value - code->offset) / code->factor;
    uint64_t all = 0;
    int status = CODE_OK;
    if (__builtin_expect(is_plain(code, x), 1))
        all = (uint64_t)llrint(x);
    else
        status = rare_raw(code, x, &all);
    if (status != CODE_NAN)
        *raw = all & code->field.mask;
    return status;
}

static __attribute__((noinline)) int rare_put(const struct can_code *code, uint8_t *data, double x)
{
    uint64_t raw = 0;
    int status = rare_raw(code, x, &raw);
    if (status != CODE_NAN)
        field_put(&code->field, data, raw);
    return status;
}

int code_put(const struct can_code *code, uint8_t data[CAN_MSG_DATA], double value)
{
    double x = (value - code->offset) / code->factor;
    if (__builtin_expect(!is_plain(code, x), 0))
        return rare_put(code, data, x);
    code_put_bits(&code->field, data, (uint64_t)llrint(x));
    return CODE_OK;
}

int code_put_wrapped(const struct can_code *code, uint8_t data[CAN_MSG_DATA], double value)
{
    double x = (value - code->offset) / code->factor;
    if (!(x > -two_62 && x < two_62))
        return CODE_NAN;
    field_put(&code->field, data, (uint64_t)llrint(x));
    return CODE_OK;
}

/* ---- multiplexing */

int mux_compile(const struct dbc_message *m, const struct dbc_signal *s, struct can_mux *mux)
{
    memset(mux, 0, sizeof *mux);
    while (s->switch_index >= 0) {
        const struct dbc_signal *by = &m->signals[s->switch_index];
        if (mux->count == CAN_MUX_DEPTH || compile_field(m, by, &mux->test[mux->count].field) != 0)
            return -ERANGE;
        mux->test[mux->count].ranges = s->ranges;
        mux->test[mux->count].range_count = (uint32_t)s->range_count;
        mux->count++;
        s = by;
    }
    return 0;
}

bool mux_present(const struct can_mux *mux, const uint8_t data[CAN_MSG_DATA])
{
    for (uint32_t i = 0; i < mux->count; i++) {
        uint64_t at = field_get(&mux->test[i].field, data);
        uint32_t k = 0;
        while (k < mux->test[i].range_count &&
               (at < mux->test[i].ranges[k].low || at > mux->test[i].ranges[k].high))
            k++;
        if (k == mux->test[i].range_count)
            return false;
    }
    return true;
}

void mux_select(const struct can_mux *mux, uint8_t data[CAN_MSG_DATA])
{
    for (uint32_t i = 0; i < mux->count; i++)
        if (mux->test[i].range_count > 0)
            field_put(&mux->test[i].field, data, mux->test[i].ranges[0].low);
}
