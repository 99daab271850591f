/* What the tyre and the body ask of the ground. target/road implements it. */
#ifndef SKIDPAD_MODEL_GROUND_H
#define SKIDPAD_MODEL_GROUND_H

#include <stdint.h>

/* What lies on it. A car may have other tyre parameters for each but dry. */
enum ground_weather { GROUND_DRY, GROUND_WET, GROUND_SNOW, GROUND_ICE, GROUND_WEATHERS };

/* Friction of each over that of dry ground, for tyres that were measured on dry ground. */
static const double ground_weather_friction[GROUND_WEATHERS] = {1.0, 0.7, 0.3, 0.1};

struct ground_point {
    double z_m;       /* height of the surface above (x, y) */
    double normal[3]; /* unit normal, upwards */
    double friction;  /* scales the tyre's friction: 1.0 is the surface the tyre was measured on */
    int32_t weather;  /* enum ground_weather; its share is in friction */
    int32_t reserved;
};

struct ground {
    const void *road;
    /* The surface under (x, y), world axes. No allocation, bounded time. */
    void (*query)(const void *road, double x_m, double y_m, struct ground_point *out);
};

#endif
