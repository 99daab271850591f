/* Units of literals and signals. */
#include "target/scenario/expr_load_unit.h"

#include "shared/base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DEG 0.017453292519943295
#define RPM 0.10471975511965978 /* 2 pi / 60 */

static const struct unit {
    const char *name;
    double factor;
    struct expr_dim dim;
} units[] = {
    {"km/h", 1.0 / 3.6, {1, 0, -1, 0}}, {"m/s2", 1.0, {1, 0, -2, 0}},
    {"m/s", 1.0, {1, 0, -1, 0}},        {"mm", 1e-3, {1, 0, 0, 0}},
    {"cm", 1e-2, {1, 0, 0, 0}},         {"km", 1e3, {1, 0, 0, 0}},
    {"m", 1.0, {1, 0, 0, 0}},           {"deg/s", DEG, {0, 0, -1, 0}},
    {"rad/s", 1.0, {0, 0, -1, 0}},      {"deg", DEG, {0, 0, 0, 0}},
    {"rad", 1.0, {0, 0, 0, 0}},         {"rpm", RPM, {0, 0, -1, 0}},
    {"Hz", 1.0, {0, 0, -1, 0}},         {"1/s", 1.0, {0, 0, -1, 0}},
    {"1/m", 1.0, {-1, 0, 0, 0}},        {"ms", 1e-3, {0, 0, 1, 0}},
    {"ns", 1e-9, {0, 0, 1, 0}},         {"s", 1.0, {0, 0, 1, 0}},
    {"kNm", 1e3, {2, 1, -2, 0}},        {"Nm", 1.0, {2, 1, -2, 0}},
    {"kN", 1e3, {1, 1, -2, 0}},         {"N", 1.0, {1, 1, -2, 0}},
    {"bar", 1e5, {-1, 1, -2, 0}},       {"MPa", 1e6, {-1, 1, -2, 0}},
    {"kPa", 1e3, {-1, 1, -2, 0}},       {"Pa", 1.0, {-1, 1, -2, 0}},
    {"kJ", 1e3, {2, 1, -2, 0}},         {"J", 1.0, {2, 1, -2, 0}},
    {"kW", 1e3, {2, 1, -3, 0}},         {"W", 1.0, {2, 1, -3, 0}},
    {"kg", 1.0, {0, 1, 0, 0}},          {"g", 9.80665, {1, 0, -2, 0}},
    {"%", 0.01, {0, 0, 0, 0}},          {"1", 1.0, {0, 0, 0, 0}},
};
enum { UNITS = sizeof units / sizeof units[0] };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t expr_unit_take(const char *text, double *factor, struct expr_dim *dim)
{
    size_t best = 0;
    for (size_t i = 0; i < UNITS; i++) {
        size_t length = strlen(units[i].name);
        /* Units that begin with a digit name signals only: behind a number they would be one. */
        if (isdigit((unsigned char)units[i].name[0]) || length <= best ||
            strncmp(text, units[i].name, length) != 0 ||
            (is_word(units[i].name[length - 1]) && is_word(text[length])))
            continue;
        best = length;
        *factor = units[i].factor;
        *dim = units[i].dim;
    }
    return best;
}

bool expr_unit(const char *text, double *factor, struct expr_dim *dim)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(text, units[i].name) == 0) {
            *factor = units[i].factor;
            *dim = units[i].dim;
            return true;
        }
    return false;
}

const char *expr_unit_near(const char *word)
{
    const char *names[UNITS];
    for (size_t i = 0; i < UNITS; i++)
        names[i] = units[i].name;
    return nearest_word(word, names, UNITS);
}

void expr_dim_name(struct expr_dim d, char *text, size_t size)
{
    for (size_t i = 0; i < UNITS; i++) {
        const struct expr_dim *u = &units[i].dim;
        if (units[i].factor == 1.0 && u->m == d.m && u->kg == d.kg && u->s == d.s) {
            (void)snprintf(text, size, "%s", d.m || d.kg || d.s ? units[i].name : "a plain number");
            return;
        }
    }
    (void)snprintf(text, size, "m^%d kg^%d s^%d", d.m, d.kg, d.s);
}
