/* The start of a run: the car rolls straight on. docs/two-track.md (P-23) */
#include "target/model/math/vecmath.h"
#include "target/model/two_track/kernel_loads.h"

#include <string.h>

/* The loads depend on the tyres' forces and these on the loads: a few rounds settle both. */
enum { ROUNDS = 8 };

void two_track_reset(const struct two_track_model *m, struct two_track_state *s,
                     const struct plant_start *start, const struct ground *ground)
{
    const struct two_track_isa *code = two_track_code();
    struct plant_in none;
    struct ground_point g;
    struct vec3 first, second;
    struct work w;
    double sine, cosine;

    memset(s, 0, sizeof *s);
    memset(&none, 0, sizeof none);
    hydraulics_reset(&m->hydraulics, &s->hydraulics);
    vm_sincos(0.5 * start->yaw_rad, &s->heading[1], &s->heading[0]);
    vm_sincos(start->yaw_rad, &sine, &cosine);
    ground->query(ground->road, start->x_m, start->y_m, &g);
    loads_plane(vec3_of(g.normal), &first, &second);
    /* The start is where the body's origin is; the state is of the centre of gravity. */
    double ahead_m = cosine * m->cg_m.x - sine * m->cg_m.y;
    double left_m = sine * m->cg_m.x + cosine * m->cg_m.y;
    s->pos_m[0] = start->x_m + ahead_m * first.x + left_m * second.x;
    s->pos_m[1] = start->y_m + ahead_m * first.y + left_m * second.y;
    s->vel_mps[0] = start->speed_mps * cosine;
    s->vel_mps[1] = start->speed_mps * sine;
    for (int n = 0; n < ROUNDS; n++) {
        code->evaluate(m, s, &none, ground, 0.0, 1e-5, &w);
        s->carry = w.carry;
        for (int i = 0; i < WHEELS; i++)
            s->spin_radps[i] = w.slip.vx_mps[i] / w.slip.rolling_m[i];
    }
    driveline_start(&m->driveline, &s->driveline, start->gear, s->spin_radps);
    none.gear = s->driveline.gear;
    code->evaluate(m, s, &none, ground, 0.0, 1e-5, &w);
    s->carry = w.carry;
    code->remember(m, &none, &w, s);
}
