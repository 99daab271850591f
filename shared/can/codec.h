/* Signals in and out of CAN data: what the tick does with a database. A signal is compiled once,
 * then read and written without strings, allocation or loops.
 *
 *     struct can_code speed;
 *     code_compile(message, signal, &speed);                   set-up; -ERANGE: it does not fit
 *
 *     uint8_t data[CAN_MSG_DATA] = {0};                        always 64 bytes
 *     int status = code_put(&speed, data, 83.4);               physical value, clamped
 *     double kmph = code_get(&speed, data);
 *
 * Pure: the same bits everywhere. Rounds to the nearest raw value, halves to the even one. */
#ifndef SKIDPAD_CAN_CODEC_H
#define SKIDPAD_CAN_CODEC_H

#include "shared/can/dbc.h"
#include "shared/can/msg.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where the bits are: the eight bytes from `byte` on, as a number in the order of the signal,
 * shifted right by `shift`. A signal over nine bytes (64 bits that do not begin at a byte) has
 * `tail` bits in the ninth. */
struct can_field {
    uint64_t mask;  /* length ones */
    uint64_t place; /* the same where they are in the eight bytes */
    uint8_t byte, shift, tail;
    uint8_t big_endian;
    uint8_t length;
};

/* How raw bits become a number; all but the first are rare. */
enum code_kind { CODE_INTEGER, CODE_UNSIGNED64, CODE_FLOAT32, CODE_FLOAT64 };

struct can_code {
    struct can_field field;
    uint64_t sign; /* the sign bit; 0 if there is none */
    double factor, offset;
    double low, high; /* raw values that need no special care; none if low > high */
    uint32_t kind;    /* enum code_kind */
    uint32_t simple;  /* 1: a whole number within eight bytes, as almost all are */
};

/* What became of a value. */
enum code_status {
    CODE_OK,
    CODE_LOW,  /* below the least raw value: that was written */
    CODE_HIGH, /* above the greatest */
    CODE_NAN   /* not a number: the data were left as they are */
};

/* ---- set-up */

/* Returns 0, or -ERANGE if the signal does not fit its message (s->fits). */
int code_compile(const struct dbc_message *m, const struct dbc_signal *s, struct can_code *code);

/* ---- raw values */

/* The bits as they are, without sign. */
uint64_t code_get_raw(const struct can_code *code, const uint8_t data[CAN_MSG_DATA]);
/* Writes the lowest bits of raw; bits of other signals stay. Counters and time stamps that wrap at
 * 2^length are therefore written as they count. */
void code_put_raw(const struct can_code *code, uint8_t data[CAN_MSG_DATA], uint64_t raw);
/* With sign if the signal has one: exact for all 64 bits. An unsigned value above INT64_MAX is its
 * bits. */
int64_t code_get_int(const struct can_code *code, const uint8_t data[CAN_MSG_DATA]);
/* How far a raw value that wraps has moved on, 0 .. 2^length - 1. */
static inline uint64_t code_wrapped_step(const struct can_code *code, uint64_t from, uint64_t to)
{
    return (to - from) & code->field.mask;
}

/* ---- physical values */

double code_get(const struct can_code *code, const uint8_t data[CAN_MSG_DATA]);
/* Returns enum code_status. */
int code_put(const struct can_code *code, uint8_t data[CAN_MSG_DATA], double value);
/* The same for values that wrap at 2^length raw steps: a running time or angle. Returns CODE_OK, or
 * CODE_NAN for what is beyond 2^62 steps or no number. Not for floating-point signals. */
int code_put_wrapped(const struct can_code *code, uint8_t data[CAN_MSG_DATA], double value);
/* The raw value of a physical one, as code_put() would write it. */
int code_raw_of(const struct can_code *code, double value, uint64_t *raw);
/* The physical value of raw bits. */
double code_value_of(const struct can_code *code, uint64_t raw);

/* ---- the same, inlined, for simple signals */

static inline bool code_is_simple(const struct can_code *code)
{
    return code->simple;
}

enum { CODE_CPU_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static inline uint64_t code_load(const uint8_t *bytes, bool big_endian)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    if (big_endian != CODE_CPU_BIG_ENDIAN)
        word = __builtin_bswap64(word);
    return word;
}

/* Two branches: fewer instructions in either than swapping twice under a condition. */
static inline void code_put_bits(const struct can_field *f, uint8_t *data, uint64_t raw)
{
    uint64_t word, bits = raw << f->shift;
    memcpy(&word, data + f->byte, sizeof word);
    if (f->big_endian != CODE_CPU_BIG_ENDIAN) {
        word = __builtin_bswap64(word);
        word = __builtin_bswap64(word ^ ((word ^ bits) & f->place));
    } else {
        word ^= (word ^ bits) & f->place;
    }
    memcpy(data + f->byte, &word, sizeof word);
}

/* Flipping and subtracting the sign bit extends it to the left. */
static inline int64_t code_extend(uint64_t raw, uint64_t sign)
{
    return (int64_t)((raw ^ sign) - sign);
}

static inline double code_get_simple(const struct can_code *code, const uint8_t data[CAN_MSG_DATA])
{
    const struct can_field *f = &code->field;
    uint64_t raw = code_load(data + f->byte, f->big_endian) >> f->shift & f->mask;
    return (double)code_extend(raw, code->sign) * code->factor + code->offset;
}

static inline int code_put_simple(const struct can_code *code, uint8_t data[CAN_MSG_DATA],
                                  double value)
{
    double x = (value - code->offset) / code->factor;
    if (__builtin_expect(!(x >= code->low && x <= code->high), 0))
        return code_put(code, data, value);
    code_put_bits(&code->field, data, (uint64_t)llrint(x));
    return CODE_OK;
}

/* ---- multiplexing */

enum { CAN_MUX_DEPTH = 4 };

/* When a multiplexed signal is in the data: each switch above it has one of its values. The ranges
 * are those of the database, which must outlive this. */
struct can_mux {
    struct {
        struct can_field field;
        const struct dbc_range *ranges;
        uint32_t range_count;
    } test[CAN_MUX_DEPTH];
    uint32_t count; /* 0: always there */
};

/* Set-up. Returns 0, or -ERANGE if a switch does not fit or there are more than CAN_MUX_DEPTH. */
int mux_compile(const struct dbc_message *m, const struct dbc_signal *s, struct can_mux *mux);
bool mux_present(const struct can_mux *mux, const uint8_t data[CAN_MSG_DATA]);
/* Sets the switches to the first value at which the signal is in the data. */
void mux_select(const struct can_mux *mux, uint8_t data[CAN_MSG_DATA]);

#endif
