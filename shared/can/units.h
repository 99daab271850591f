/* Units as DBC files and signal lists write them, as factors to SI. Set-up only. */
#ifndef SKIDPAD_CAN_UNITS_H
#define SKIDPAD_CAN_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* A value times num / den is in SI. Two numbers, so that ns to us is exactly 1000. */
struct unit {
    double num, den;
    int8_t m, kg, s, rad, other; /* dimension; other: volts, degrees Celsius and the like */
};

/* False if the text is not known. "" and "-" are dimensionless. */
bool unit_find(const char *text, struct unit *unit);

/* Whether one can be converted into the other. An angle counts as a number if loose is set: rad/s
 * times a radius is m/s. */
bool unit_same_kind(const struct unit *a, const struct unit *b, bool loose);

struct unit unit_product(const struct unit *a, const struct unit *b);

#endif
