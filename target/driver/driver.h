/* A virtual driver of either kind, docs/driver.md. */
#ifndef SKIDPAD_DRIVER_DRIVER_H
#define SKIDPAD_DRIVER_DRIVER_H

#include "target/driver/position.h"
#include "target/driver/preview.h"

enum driver_kind { DRIVER_POSITION, DRIVER_PREVIEW };

struct driver_settings {
    int kind; /* enum driver_kind */
    struct position_settings position;
    struct preview_settings preview;
};

/* Const once driver_init() has run. Only the part of its kind is filled. */
struct driver_model {
    int kind;
    struct position_model position;
    struct preview_model preview;
};

struct driver_state {
    struct position_state position;
    struct preview_state preview;
};

void driver_init(struct driver_model *m, const struct driver_settings *set,
                 const struct car_facts *car, const struct path *path);
/* The driver goes on in another car; what driver_init() derived stays that of the first one. */
void driver_take_car(struct driver_model *m, const struct car_facts *car);
void driver_reset(struct driver_state *s);
/* Hand wheel, pedals, clutch and gear of the next step from what the car does now. Wind, pressures
 * and torques of *in are left alone. */
void driver_step(const struct driver_model *m, struct driver_state *s, const struct plant_out *now,
                 double dt_s, struct plant_in *in);
/* Somebody else steers: the driver's hands go along. */
void driver_let_steer(struct driver_state *s, double hand_rad);
/* Arc length of the driver's place on the path, laps counted. */
double driver_along_m(const struct driver_model *m, const struct driver_state *s);

#endif
