#include "target/check_vehicle.h"

#include "target/check_hydraulics.h"
#include "target/model/lumped15/stiffness_load.h"
#include "target/road/plane.h"

#include <math.h>

static void print_rest(const struct vehicle *v, FILE *to)
{
    const struct lumped15_model *m = &v->car;
    struct plane level;
    struct lumped15_state s;
    struct plant_out o;
    struct plant_start start = {.speed_mps = 0.0};
    plane_defaults(&level);
    struct ground ground = plane_ground(&level);
    lumped15_ops.reset(m, &s, &start, &ground);
    lumped15_ops.output(m, &s, &o);
    double all = o.load_N[FL] + o.load_N[FR] + o.load_N[RL] + o.load_N[RR];
    fprintf(to, "  mass        %.1f kg, %.1f of it sprung\n", m->total_kg, m->sprung_kg);
    fprintf(to,
            "  at rest     loads %.0f %.0f %.0f %.0f N (front %.1f %%), centre of gravity %.3f m, "
            "pitch %.2f deg\n",
            o.load_N[FL], o.load_N[FR], o.load_N[RL], o.load_N[RR],
            100.0 * (o.load_N[FL] + o.load_N[FR]) / all, o.pos_m[2],
            o.pitch_rad * 180.0 / 3.14159265358979323846);
    fprintf(to, "  wheelbase   %.3f m, track %.3f m front, %.3f m rear\n",
            hypot(o.hub_m[FL][0] - o.hub_m[RL][0], o.hub_m[FL][2] - o.hub_m[RL][2]),
            o.hub_m[FL][1] - o.hub_m[FR][1], o.hub_m[RL][1] - o.hub_m[RR][1]);
}

static void print_stiffness(const struct stiffness *s, double step_s, FILE *to)
{
    static const double steps_ms[] = {1.0, 0.5, 0.2, 0.1, 0.05};
    double growth = -INFINITY;
    fprintf(to, "  fastest eigenvalue in 1/s (and longest step of forward Euler in ms)\n");
    fprintf(to, "    speed km/h");
    for (int k = 0; k < STIFFNESS_LOADS; k++)
        fprintf(to, "     load x %.1f      ", s->point[k].load);
    fprintf(to, "\n");
    for (int i = 0; i < s->count; i++) {
        const struct stiffness_point *p = &s->point[i];
        if (i % STIFFNESS_LOADS == 0)
            fprintf(to, "    %10.1f", 3.6 * p->speed_mps);
        fprintf(to, "  %7.0f (%7.3f) ", p->fastest_1ps, 1e3 * p->forward_s);
        if (i % STIFFNESS_LOADS == STIFFNESS_LOADS - 1)
            fprintf(to, "\n");
        if (p->load <= 1.0 && p->load >= 1.0)
            growth = fmax(growth, p->growth);
    }
    fprintf(to, "  forward Euler takes");
    for (size_t i = 0; i < sizeof steps_ms / sizeof steps_ms[0]; i++)
        fprintf(to, "%s %d at %g ms", i ? "," : "", stiffness_substeps(s, 1e-3 * steps_ms[i]),
                steps_ms[i]);
    fprintf(to, " substeps\n");
    fprintf(to,
            "  semi-implicit Euler at %g ms: fastest growing mode at static load %.2g 1/s (%s)\n",
            1e3 * step_s, growth, growth < 1e-3 ? "stable" : "grows");
}

int check_vehicle_print(const struct vehicle *v, double step_s, FILE *to)
{
    struct stiffness s;
    fprintf(to, "  %s\n", v->name);
    print_rest(v, to);
    check_hydraulics_print(&v->car.hydraulics, to);
    int bad = stiffness_of(&v->car, step_s, &s);
    if (!bad)
        print_stiffness(&s, step_s, to);
    return bad;
}
