#include "target/driver/straight.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <math.h>

void straight_defaults(struct straight_model *m)
{
    *m = (struct straight_model){.heading = 10.0,
                                 .offset_radpm = 2.0,
                                 .damping_s = 2.0,
                                 .lag_s = 0.1,
                                 .rate_radps = 10.0,
                                 .most_rad = 8.0};
}

double straight_step(const struct straight_model *m, struct straight_state *s,
                     const struct plant_out *now, double dt_s)
{
    double c = vm_cos(m->yaw_rad), n = vm_sin(m->yaw_rad);
    double beside_m = c * (now->pos_m[1] - m->y_m) - n * (now->pos_m[0] - m->x_m);
    double wanted_rad = -(m->heading * (now->yaw_rad - m->yaw_rad) + m->offset_radpm * beside_m +
                          m->damping_s * now->rate_radps[2]);
    wanted_rad = fmin(fmax(wanted_rad, -m->most_rad), m->most_rad);
    double step_rad = (wanted_rad - s->hand_wheel_rad) * dt_s / (m->lag_s + dt_s);
    double most_rad = m->rate_radps * dt_s;
    s->hand_wheel_rad += fmin(fmax(step_rad, -most_rad), most_rad);
    return s->hand_wheel_rad;
}
