#include "shared/can/units.h"

#include <stddef.h>
#include <string.h>

#define PI 3.141592653589793238463

/* The same unit under all names met in databases; long names are those of one car maker. */
static const struct {
    const char *names[8];
    struct unit unit;
} known[] = {
    {{"", "-", "1", "count", "Unit_None", "none"}, {1, 1, 0, 0, 0, 0, 0}},
    {{"%", "percent", "Unit_PerCent"}, {1, 100, 0, 0, 0, 0, 0}},
    {{"m", "Unit_Meter"}, {1, 1, 1, 0, 0, 0, 0}},
    {{"km", "Unit_KiloMeter"}, {1000, 1, 1, 0, 0, 0, 0}},
    {{"cm", "Unit_CentiMeter"}, {1, 100, 1, 0, 0, 0, 0}},
    {{"mm", "Unit_MilliMeter"}, {1, 1000, 1, 0, 0, 0, 0}},
    {{"s", "sec", "Unit_Secon"}, {1, 1, 0, 0, 1, 0, 0}},
    {{"ms", "Unit_MilliSecon"}, {1, 1000, 0, 0, 1, 0, 0}},
    {{"us", "µs", "\xce\xbcs", "Unit_MicroSecon"}, {1, 1000000, 0, 0, 1, 0, 0}},
    {{"ns"}, {1, 1000000000, 0, 0, 1, 0, 0}},
    {{"min", "Unit_Minut"}, {60, 1, 0, 0, 1, 0, 0}},
    {{"h", "hour"}, {3600, 1, 0, 0, 1, 0, 0}},
    {{"Hz", "1/s"}, {1, 1, 0, 0, -1, 0, 0}},
    {{"rad"}, {1, 1, 0, 0, 0, 1, 0}},
    {{"deg", "°", "degree", "degrees", "Unit_DegreOfArc"}, {PI, 180, 0, 0, 0, 1, 0}},
    {{"rad/s"}, {1, 1, 0, 0, -1, 1, 0}},
    {{"deg/s", "°/s", "degree/s", "deg/sec", "Unit_DegreOfArcPerSecon"}, {PI, 180, 0, 0, -1, 1, 0}},
    {{"rpm", "1/min", "U/min", "r/min", "Unit_MinutInver"}, {PI, 30, 0, 0, -1, 1, 0}},
    {{"m/s", "mps", "Unit_MeterPerSecon"}, {1, 1, 1, 0, -1, 0, 0}},
    {{"km/h", "kph", "kmh", "kmph", "Unit_KiloMeterPerHour"}, {5, 18, 1, 0, -1, 0, 0}},
    {{"mph"}, {0.44704, 1, 1, 0, -1, 0, 0}},
    {{"m/s2", "m/s^2", "m/s²", "m/s/s", "m/ss", "Unit_MeterPerSeconSquar"}, {1, 1, 1, 0, -2, 0, 0}},
    {{"g", "Unit_GravityEarth"}, {9.80665, 1, 1, 0, -2, 0, 0}},
    {{"kg"}, {1, 1, 0, 1, 0, 0, 0}},
    {{"N"}, {1, 1, 1, 1, -2, 0, 0}},
    {{"kN"}, {1000, 1, 1, 1, -2, 0, 0}},
    {{"Nm", "N m", "Unit_NewtoMeter"}, {1, 1, 2, 1, -2, 0, 0}},
    {{"W"}, {1, 1, 2, 1, -3, 0, 0}},
    {{"kW"}, {1000, 1, 2, 1, -3, 0, 0}},
    {{"Pa"}, {1, 1, -1, 1, -2, 0, 0}},
    {{"hPa", "mbar", "Unit_MilliBar"}, {100, 1, -1, 1, -2, 0, 0}},
    {{"kPa"}, {1000, 1, -1, 1, -2, 0, 0}},
    {{"MPa"}, {1000000, 1, -1, 1, -2, 0, 0}},
    {{"bar", "Bar", "Unit_Bar"}, {100000, 1, -1, 1, -2, 0, 0}},
    {{"V", "Unit_Volt"}, {1, 1, 0, 0, 0, 0, 1}},
    {{"A", "Unit_Amper"}, {1, 1, 0, 0, 0, 0, 2}},
    {{"degC", "°C", "C", "Unit_DegreCelsi"}, {1, 1, 0, 0, 0, 0, 3}},
};

bool unit_find(const char *text, struct unit *unit)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        for (size_t k = 0; k < 8 && known[i].names[k]; k++) {
            if (strcmp(known[i].names[k], text) == 0) {
                *unit = known[i].unit;
                return true;
            }
        }
    }
    return false;
}

bool unit_same_kind(const struct unit *a, const struct unit *b, bool loose)
{
    return a->m == b->m && a->kg == b->kg && a->s == b->s && a->other == b->other &&
           (loose || a->rad == b->rad);
}

struct unit unit_product(const struct unit *a, const struct unit *b)
{
    return (struct unit){a->num * b->num,
                         a->den * b->den,
                         (int8_t)(a->m + b->m),
                         (int8_t)(a->kg + b->kg),
                         (int8_t)(a->s + b->s),
                         (int8_t)(a->rad + b->rad),
                         (int8_t)(a->other + b->other)};
}
