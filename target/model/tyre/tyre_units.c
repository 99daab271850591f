#include "target/model/tyre/tyre_units.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit LENGTHS[] = {{"meter", 1.0},       {"metre", 1.0},       {"m", 1.0},
                                      {"mm", 1e-3},         {"millimeter", 1e-3}, {"cm", 1e-2},
                                      {"centimeter", 1e-2}, {"inch", 0.0254},     {NULL, 0}};
static const struct unit FORCES[] = {{"newton", 1.0},      {"N", 1.0},          {"kN", 1e3},
                                     {"kilo_newton", 1e3}, {"kilonewton", 1e3}, {NULL, 0}};
static const struct unit ANGLES[] = {{"radians", 1.0},
                                     {"radian", 1.0},
                                     {"rad", 1.0},
                                     {"degrees", 0.017453292519943295},
                                     {"degree", 0.017453292519943295},
                                     {"deg", 0.017453292519943295},
                                     {NULL, 0}};
static const struct unit MASSES[] = {
    {"kg", 1.0}, {"kilogram", 1.0}, {"g", 1e-3}, {"gram", 1e-3}, {NULL, 0}};
static const struct unit TIMES[] = {{"second", 1.0}, {"seconds", 1.0}, {"sec", 1.0},
                                    {"s", 1.0},      {"ms", 1e-3},     {"millisecond", 1e-3},
                                    {NULL, 0}};
static const struct unit PRESSURES[] = {
    {"pascal", 1.0}, {"Pa", 1.0}, {"kPa", 1e3}, {"bar", 1e5}, {"psi", 6894.757293168361},
    {NULL, 0}};

/* Exponents of length, force, angle, mass, time, pressure. */
struct dimension {
    const char *key;
    int length, force, angle, mass, time, pressure;
};
static const struct dimension DIMENSIONS[] = {
    {"UNLOADED_RADIUS", 1, 0, 0, 0, 0, 0},
    {"WIDTH", 1, 0, 0, 0, 0, 0},
    {"RIM_RADIUS", 1, 0, 0, 0, 0, 0},
    {"RIM_WIDTH", 1, 0, 0, 0, 0, 0},
    {"BOTTOM_OFFST", 1, 0, 0, 0, 0, 0},
    {"FNOMIN", 0, 1, 0, 0, 0, 0},
    {"FZMIN", 0, 1, 0, 0, 0, 0},
    {"FZMAX", 0, 1, 0, 0, 0, 0},
    {"LONGVL", 1, 0, 0, 0, -1, 0},
    {"NOMPRES", 0, 0, 0, 0, 0, 1},
    {"INFLPRES", 0, 0, 0, 0, 0, 1},
    {"PRESMIN", 0, 0, 0, 0, 0, 1},
    {"PRESMAX", 0, 0, 0, 0, 0, 1},
    {"MASS", 0, 0, 0, 1, 0, 0},
    {"IXX", 2, 0, 0, 1, 0, 0},
    {"IYY", 2, 0, 0, 1, 0, 0},
    {"VERTICAL_STIFFNESS", -1, 1, 0, 0, 0, 0},
    {"VERTICAL_DAMPING", -1, 1, 0, 0, 1, 0},
    {"LONGITUDINAL_STIFFNESS", -1, 1, 0, 0, 0, 0},
    {"LATERAL_STIFFNESS", -1, 1, 0, 0, 0, 0},
    {"BOTTOM_STIFF", -1, 1, 0, 0, 0, 0},
    {"ALPMIN", 0, 0, 1, 0, 0, 0},
    {"ALPMAX", 0, 0, 1, 0, 0, 0},
    {"CAMMIN", 0, 0, 1, 0, 0, 0},
    {"CAMMAX", 0, 0, 1, 0, 0, 0},
};

static void names_of(const struct unit *units, char *text, size_t size)
{
    text[0] = '\0';
    for (const struct unit *u = units; u->name; u++) {
        if (u != units)
            strncat(text, ", ", size - strlen(text) - 1);
        strncat(text, u->name, size - strlen(text) - 1);
    }
}

static double read_unit(struct tir *tir, const char *key, const struct unit *units,
                        struct tir_report *report)
{
    char known[160];
    struct tir_entry *e = tir_find(tir, "UNITS", key);
    if (!e)
        return 1.0;
    e->used = true;
    for (const struct unit *u = units; u->name; u++)
        if (!e->is_number && strcasecmp(u->name, e->text) == 0)
            return u->factor;
    names_of(units, known, sizeof known);
    tir_complain(report, tir->name, e->line, e->column, key, "unknown unit '%s'; allowed are %s",
                 e->text, known);
    return 1.0;
}

void tyre_units_read(struct tir *tir, struct tyre_units *units, struct tir_report *report)
{
    units->length_m = read_unit(tir, "LENGTH", LENGTHS, report);
    units->force_N = read_unit(tir, "FORCE", FORCES, report);
    units->angle_rad = read_unit(tir, "ANGLE", ANGLES, report);
    units->mass_kg = read_unit(tir, "MASS", MASSES, report);
    units->time_s = read_unit(tir, "TIME", TIMES, report);
    units->pressure_Pa = read_unit(tir, "PRESSURE", PRESSURES, report);
}

static const struct dimension *dimension_of(const char *key)
{
    for (size_t i = 0; i < sizeof DIMENSIONS / sizeof DIMENSIONS[0]; i++)
        if (strcmp(DIMENSIONS[i].key, key) == 0)
            return &DIMENSIONS[i];
    return NULL;
}

static double power(double x, int n)
{
    double y = 1.0;
    for (; n > 0; n--)
        y *= x;
    for (; n < 0; n++)
        y /= x;
    return y;
}

double tyre_units_scale(const struct tyre_units *units, const char *key)
{
    const struct dimension *d = dimension_of(key);
    if (!d)
        return 1.0;
    return power(units->length_m, d->length) * power(units->force_N, d->force) *
           power(units->angle_rad, d->angle) * power(units->mass_kg, d->mass) *
           power(units->time_s, d->time) * power(units->pressure_Pa, d->pressure);
}

bool tyre_units_dimensional(const char *key)
{
    return dimension_of(key) != NULL;
}
