#include "target/check_vehicle.h"

#include "target/check_hydraulics.h"

#include <math.h>

static int print_rest(const struct vehicle *v, FILE *to)
{
    struct plant_out o;
    int bad = vehicle_at_rest(v, &o);
    if (bad)
        return bad;
    double all = o.load_N[FL] + o.load_N[FR] + o.load_N[RL] + o.load_N[RR];
    fprintf(to, "  mass        %.1f kg, %.1f of it sprung\n", v->facts.total_kg,
            v->facts.sprung_kg);
    fprintf(to,
            "  at rest     loads %.0f %.0f %.0f %.0f N (front %.1f %%), centre of gravity %.3f m, "
            "pitch %.2f deg\n",
            o.load_N[FL], o.load_N[FR], o.load_N[RL], o.load_N[RR],
            100.0 * (o.load_N[FL] + o.load_N[FR]) / all, o.pos_m[2],
            o.pitch_rad * 180.0 / 3.14159265358979323846);
    fprintf(to, "  wheelbase   %.3f m, track %.3f m front, %.3f m rear\n",
            hypot(o.hub_m[FL][0] - o.hub_m[RL][0], o.hub_m[FL][2] - o.hub_m[RL][2]),
            o.hub_m[FL][1] - o.hub_m[FR][1], o.hub_m[RL][1] - o.hub_m[RR][1]);
    return 0;
}

int check_vehicle_print(const struct vehicle *v, double step_s, FILE *to)
{
    fprintf(to, "  %s (%s)\n", v->name, v->ops->name);
    int bad = print_rest(v, to);
    if (bad)
        return bad;
    check_hydraulics_print(v->facts.hydraulics, to);
    return v->kind->check ? v->kind->check(v->model, step_s, to) : 0;
}
