/* The two styles of the preview driver, and what it knows of its car. */
#include "target/driver/preview.h"

#include "target/model/footing.h"
#include "target/model/math/scalar.h"

#include <string.h>

void preview_defaults(struct preview_settings *s, enum preview_style style)
{
    *s = (struct preview_settings){.middle_s = 0.45,
                                   .least_m = 4.0,
                                   .most_m = 40.0,
                                   .per_offset = 1.0,
                                   .per_curvature_m2 = 40.0,
                                   .per_yaw_rate_ms = 1.0,
                                   .distance_mps = 10.0,
                                   .yaw_feedback = 1.0,
                                   .near_s = 0.1,
                                   .far_s = 0.6,
                                   .speed_1ps = 3.0,
                                   .speed_1ps2 = 0.3,
                                   .mode_mps2 = 1.0,
                                   .mode_gain = 0.7,
                                   .drive_mps2 = 4.0,
                                   .brake_mps2 = 11.0,
                                   .hand_lag_s = 0.04,
                                   .hand_wheel_radps = 17.5,
                                   .pedal_lag_s = 0.05,
                                   .pedal_1ps = 8.0};
    if (style == PREVIEW_AGGRESSIVE)
        return;
    s->middle_s = 0.9;
    s->least_m = 8.0;
    s->distance_mps = 6.0;
    s->yaw_feedback = 0.5;
    s->near_s = 0.3;
    s->far_s = 1.2;
    s->speed_1ps = 0.6;
    s->speed_1ps2 = 0.5;
    s->mode_gain = 0.6;
    s->brake_mps2 = 8.0;
    s->hand_lag_s = 0.15;
    s->hand_wheel_radps = 6.0; /* 344 deg/s */
    s->pedal_lag_s = 0.2;
    s->pedal_1ps = 2.0;
}

void preview_init(struct preview_model *m, const struct preview_settings *set,
                  const struct car_facts *car, const struct path *path)
{
    struct footing f;
    memset(m, 0, sizeof *m);
    m->set = *set;
    m->path = path;
    m->car = car;
    footing_of(car, &f);
    m->base_m = f.front_m + f.rear_m;
    m->understeer_s2pm = f.understeer_s2pm;
    m->brake_per_mps2 = car->total_kg / at_least(f.brake_N, 1.0);
}
