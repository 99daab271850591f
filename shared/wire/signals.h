/* The record of all signals and its description, made from signals.def. */
#ifndef SKIDPAD_WIRE_SIGNALS_H
#define SKIDPAD_WIRE_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef double signal_f64;
typedef int64_t signal_i64;
typedef uint32_t signal_u32;
typedef int32_t signal_i32;

struct signals {
#define SIGNAL(type, name, unit, source, meaning) signal_##type name;
#define SIGNAL4(type, name, unit, source, meaning)                                                 \
    signal_##type fl_##name, fr_##name, rl_##name, rr_##name;
#define LINKED(type, name, unit, meaning)  SIGNAL(type, name, unit, , meaning)
#define LINKED4(type, name, unit, meaning) SIGNAL4(type, name, unit, , meaning)
#define COURSE(type, name, unit, meaning)  SIGNAL(type, name, unit, , meaning)
#include "shared/wire/signals.def"
#undef SIGNAL
#undef SIGNAL4
#undef LINKED
#undef LINKED4
#undef COURSE
};

enum signal_type { SIGNAL_f64, SIGNAL_i64, SIGNAL_u32, SIGNAL_i32 };

struct signal_info {
    const char *name, *unit, *meaning;
    enum signal_type type;
    bool linked;   /* comes from outside the car: a replay takes it from the log */
    bool course;   /* known to the manoeuvre only */
    size_t offset; /* in struct signals */
};

extern const struct signal_info signal_table[];
extern const size_t signal_count;

/* The value of this type at this offset as a number; 64-bit integers lose what a double cannot
 * hold. */
static inline double signal_read(const void *record, size_t offset, int type)
{
    const char *at = (const char *)record + offset;
    signal_f64 f;
    signal_i64 l;
    signal_u32 u;
    signal_i32 i;
    switch (type) {
    case SIGNAL_i64:
        memcpy(&l, at, sizeof l);
        return (double)l;
    case SIGNAL_u32:
        memcpy(&u, at, sizeof u);
        return (double)u;
    case SIGNAL_i32:
        memcpy(&i, at, sizeof i);
        return (double)i;
    default:
        memcpy(&f, at, sizeof f);
        return f;
    }
}

/* Index of a name, or -1. */
int signal_find(const char *name);
/* Whether older logs may lack the signal, and the value that stands for it then. */
bool signal_neutral(const char *name, double *value);
double signal_value(const struct signals *s, size_t index);
/* Stores a number, rounded and limited to what an integer signal holds; NaN becomes 0 there. */
void signal_store(struct signals *s, size_t index, double value);
/* Text of the value for tables: ten digits, whole numbers in full. Returns its length. */
int signal_text(const struct signals *s, size_t index, char *text, size_t size);

#endif
