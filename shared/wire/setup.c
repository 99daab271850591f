#include "shared/wire/setup.h"

#include <string.h>

const struct setup_info setup_table[SETUP_COUNT] = {
#define SETUP(name, unit, neutral, low, high, meaning) {#name, unit, meaning, neutral, low, high},
#include "shared/wire/setup.def"
#undef SETUP
};

const struct setup setup_neutral = {{
#define SETUP(name, unit, neutral, low, high, meaning) neutral,
#include "shared/wire/setup.def"
#undef SETUP
}};

int setup_find(const char *name)
{
    for (int i = 0; i < SETUP_COUNT; i++)
        if (strcmp(setup_table[i].name, name) == 0)
            return i;
    return -1;
}

void setup_to_signals(const struct setup *s, struct signals *to)
{
#define SETUP(name, unit, neutral, low, high, meaning) to->setup_##name = s->value[SETUP_##name];
#include "shared/wire/setup.def"
#undef SETUP
}

void setup_of_signals(const struct signals *from, struct setup *s)
{
#define SETUP(name, unit, neutral, low, high, meaning) s->value[SETUP_##name] = from->setup_##name;
#include "shared/wire/setup.def"
#undef SETUP
}
