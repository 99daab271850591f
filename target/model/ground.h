/* What the tyre and the body ask of the ground. target/road implements it. */
#ifndef SKIDPAD_MODEL_GROUND_H
#define SKIDPAD_MODEL_GROUND_H

struct ground_point {
    double z_m;       /* height of the surface above (x, y) */
    double normal[3]; /* unit normal, upwards */
    double friction;  /* scales the tyre's friction: 1.0 is the surface the tyre was measured on */
};

struct ground {
    const void *road;
    /* The surface under (x, y), world axes. No allocation, bounded time. */
    void (*query)(const void *road, double x_m, double y_m, struct ground_point *out);
};

#endif
