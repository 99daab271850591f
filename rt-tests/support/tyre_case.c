#include "rt-tests/support/tyre_case.h"

#include "target/model/tyre/tyre_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

const char *const tyre_shipped[] = {
    "config/tyres/compact_185_60R15.tir",      "config/tyres/sedan_205_55R16.tir",
    "config/tyres/sports_front_245_40R18.tir", "config/tyres/sports_rear_275_35R18.tir",
    "config/tyres/suv_235_65R17.tir",
};
const int tyre_shipped_count = sizeof tyre_shipped / sizeof tyre_shipped[0];

void tyre_read(const char *path, struct tyre_model *model)
{
    struct err e;
    if (tyre_model_read(path, model, NULL, &e))
        fail_msg("%s", e.text);
}

void tyre_four(const char *path, enum tyre_sides sides, struct tyre_set *set)
{
    struct tyre_model m;
    tyre_read(path, &m);
    const struct tyre_model *const four[WHEELS] = {&m, &m, &m, &m};
    tyre_set_init(set, four, sides);
}

struct tyre_case tyre_rolling(const struct tyre_set *set)
{
    return (struct tyre_case){.load_N = set->load0_N[FL], .vx_mps = 20.0, .friction = 1.0};
}

struct tyre_out tyre_at(const struct tyre_set *set, struct tyre_case c)
{
    struct tyre_in in;
    struct tyre_out out;
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = c.load_N;
        in.kappa[i] = c.kappa;
        in.tan_alpha[i] = c.tan_alpha;
        in.gamma_rad[i] = c.gamma_rad;
        in.vx_mps[i] = c.vx_mps;
        in.pressure_Pa[i] = c.pressure_Pa;
        in.friction[i] = c.friction;
    }
    tyre_forces(set, &in, &out);
    return out;
}

const char *tyre_data(const char *file, char *path, int size)
{
    const char *folder = getenv("SKIDPAD_DATA");
    if (!folder)
        skip();
    (void)snprintf(path, (size_t)size, "%s/tyres/%s", folder ? folder : "", file);
    return path;
}
