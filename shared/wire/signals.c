#include "shared/wire/signals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(type, name, unit, meaning, linked)                                                   \
    {#name, unit, meaning, SIGNAL_##type, linked, false, offsetof(struct signals, name)},
#define ENTRY4(type, name, unit, meaning, linked)                                                  \
    ENTRY(type, fl_##name, unit, meaning ", front left", linked)                                   \
    ENTRY(type, fr_##name, unit, meaning ", front right", linked)                                  \
    ENTRY(type, rl_##name, unit, meaning ", rear left", linked)                                    \
    ENTRY(type, rr_##name, unit, meaning ", rear right", linked)

const struct signal_info signal_table[] = {
#define SIGNAL(type, name, unit, source, meaning)  ENTRY(type, name, unit, meaning, false)
#define SIGNAL4(type, name, unit, source, meaning) ENTRY4(type, name, unit, meaning, false)
#define LINKED(type, name, unit, meaning)          ENTRY(type, name, unit, meaning, true)
#define LINKED4(type, name, unit, meaning)         ENTRY4(type, name, unit, meaning, true)
#define COURSE(type, name, unit, meaning)                                                          \
    {#name, unit, meaning, SIGNAL_##type, false, true, offsetof(struct signals, name)},
#include "shared/wire/signals.def"
#undef SIGNAL
#undef SIGNAL4
#undef LINKED
#undef LINKED4
#undef COURSE
};

const size_t signal_count = sizeof signal_table / sizeof signal_table[0];

int signal_find(const char *name)
{
    for (size_t i = 0; i < signal_count; i++)
        if (strcmp(signal_table[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool signal_neutral(const char *name, double *value)
{
    static const struct {
        const char *name;
        double neutral;
    } added[] = {
#define ADDED(name, neutral) {#name, neutral},
#include "shared/wire/signals_added.def"
#undef ADDED
        {NULL, 0.0}};
    for (int i = 0; added[i].name; i++)
        if (strcmp(added[i].name, name) == 0) {
            *value = added[i].neutral;
            return true;
        }
    return false;
}

double signal_value(const struct signals *s, size_t index)
{
    return signal_read(s, signal_table[index].offset, (int)signal_table[index].type);
}

static double between(double value, double low, double high)
{
    double whole = rint(value);
    return whole >= low ? (whole <= high ? whole : high) : (whole < low ? low : 0.0);
}

void signal_store(struct signals *s, size_t index, double value)
{
    char *at = (char *)s + signal_table[index].offset;
    signal_f64 f = value;
    signal_i64 l;
    signal_u32 u;
    signal_i32 i;
    switch (signal_table[index].type) {
    case SIGNAL_i64:
        l = (signal_i64)between(value, -9.2e18, 9.2e18);
        memcpy(at, &l, sizeof l);
        break;
    case SIGNAL_u32:
        u = (signal_u32)between(value, 0.0, UINT32_MAX);
        memcpy(at, &u, sizeof u);
        break;
    case SIGNAL_i32:
        i = (signal_i32)between(value, INT32_MIN, INT32_MAX);
        memcpy(at, &i, sizeof i);
        break;
    case SIGNAL_f64:
    default:
        memcpy(at, &f, sizeof f);
        break;
    }
}

int signal_text(const struct signals *s, size_t index, char *text, size_t size)
{
    if (signal_table[index].type == SIGNAL_i64) {
        signal_i64 l;
        memcpy(&l, (const char *)s + signal_table[index].offset, sizeof l);
        return snprintf(text, size, "%" PRId64, l);
    }
    return snprintf(text, size, "%.10g", signal_value(s, index));
}
