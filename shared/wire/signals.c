#include "shared/wire/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct signal_info signal_table[] = {
#define SIGNAL(type, name, unit, source, meaning)                                                  \
    {#name, unit, meaning, SIGNAL_##type, offsetof(struct signals, name)},
#define SIGNAL4(type, name, unit, source, meaning)                                                 \
    {"fl_" #name, unit, meaning ", front left", SIGNAL_##type,                                     \
     offsetof(struct signals, fl_##name)},                                                         \
        {"fr_" #name, unit, meaning ", front right", SIGNAL_##type,                                \
         offsetof(struct signals, fr_##name)},                                                     \
        {"rl_" #name, unit, meaning ", rear left", SIGNAL_##type,                                  \
         offsetof(struct signals, rl_##name)},                                                     \
        {"rr_" #name, unit, meaning ", rear right", SIGNAL_##type,                                 \
         offsetof(struct signals, rr_##name)},
#include "shared/wire/signals.def"
#undef SIGNAL
#undef SIGNAL4
};

const size_t signal_count = sizeof signal_table / sizeof signal_table[0];

int signal_find(const char *name)
{
    for (size_t i = 0; i < signal_count; i++)
        if (strcmp(signal_table[i].name, name) == 0)
            return (int)i;
    return -1;
}

double signal_value(const struct signals *s, size_t index)
{
    const char *at = (const char *)s + signal_table[index].offset;
    signal_f64 f;
    signal_i64 l;
    signal_u32 u;
    signal_i32 i;
    switch (signal_table[index].type) {
    case SIGNAL_i64:
        memcpy(&l, at, sizeof l);
        return (double)l;
    case SIGNAL_u32:
        memcpy(&u, at, sizeof u);
        return (double)u;
    case SIGNAL_i32:
        memcpy(&i, at, sizeof i);
        return (double)i;
    case SIGNAL_f64:
    default:
        memcpy(&f, at, sizeof f);
        return f;
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
