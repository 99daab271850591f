#include "target/steady_sweep.h"

#include "target/model/footing.h"

#include <math.h>
#include <string.h>

static void solve_at(const struct steady_sweep *w, struct steady *s, double ay_mps2,
                     struct steady_point *out)
{
    double side = w->right ? -1.0 : 1.0;
    if (w->radius_m > 0.0)
        steady_solve(s, sqrt(ay_mps2 * w->radius_m), side / w->radius_m, out);
    else
        steady_solve(s, w->speed_mps, side * ay_mps2 / (w->speed_mps * w->speed_mps), out);
}

/* Between a steady turn, whose answer is `from`, and one that is not. */
static void find_limit(struct steady_sweep *w, struct steady *s, const double *from, double low,
                       double high)
{
    double best[STEADY_GUESS], after[STEADY_GUESS];
    steady_keep(s, after);
    memcpy(best, from, sizeof best);
    for (int n = 0; n < 12; n++) {
        double middle = 0.5 * (low + high);
        struct steady_point p;
        steady_go_back(s, best);
        solve_at(w, s, middle, &p);
        if (steady_sort(&p) == STEADY_IS) {
            low = middle;
            w->limit = p;
            steady_keep(s, best);
        } else {
            high = middle;
        }
    }
    steady_go_back(s, after);
}

void steady_sweep_run(struct steady_sweep *w, struct steady *s)
{
    double last[STEADY_GUESS];
    struct footing f;
    footing_of(&s->car->facts, &f);
    w->base_m = f.front_m + f.rear_m;
    double to_mps2 = w->to_mps2 > 0.0 ? w->to_mps2 : 3.0 * s->car->facts.gravity_mps2;
    for (int i = 1; w->count < STEADY_POINTS && i * w->step_mps2 <= to_mps2 + 1e-9; i++) {
        double ay_mps2 = i * w->step_mps2;
        struct steady_point *p = &w->point[w->count++];
        steady_keep(s, last);
        solve_at(w, s, ay_mps2, p);
        if (w->has_limit || steady_sort(p) == STEADY_IS)
            continue;
        w->has_limit = true;
        if (i > 1)
            w->limit = w->point[w->count - 2];
        find_limit(w, s, last, ay_mps2 - w->step_mps2, ay_mps2);
        if (!(w->to_mps2 > 0.0))
            to_mps2 = 1.1 * fabs(w->limit.lateral_mps2) + w->step_mps2;
    }
}

static bool steady(const struct steady_sweep *w, int i)
{
    return i >= 0 && i < w->count && steady_sort(&w->point[i]) == STEADY_IS;
}

static double over_arc(const struct steady_sweep *w, int i)
{
    return w->point[i].steer_rad - w->base_m / w->point[i].radius_m;
}

double steady_gradient_s2pm(const struct steady_sweep *w, int i)
{
    int a = steady(w, i - 1) ? i - 1 : i, b = steady(w, i + 1) ? i + 1 : i;
    if (!steady(w, i) || a == b)
        return NAN;
    return (over_arc(w, b) - over_arc(w, a)) /
           (w->point[b].lateral_mps2 - w->point[a].lateral_mps2);
}

double steady_hand_gradient_s2pm(const struct steady_sweep *w, int i)
{
    int a = steady(w, i - 1) ? i - 1 : i, b = steady(w, i + 1) ? i + 1 : i;
    if (!steady(w, i) || a == b || !(w->radius_m > 0.0))
        return NAN;
    return (w->point[b].hand_rad - w->point[a].hand_rad) /
           (w->point[b].lateral_mps2 - w->point[a].lateral_mps2);
}

double steady_mean_gradient_s2pm(const struct steady_sweep *w, double low_mps2, double high_mps2)
{
    int a = -1, b = -1;
    for (int i = 0; i < w->count; i++) {
        double ay_mps2 = fabs(w->point[i].lateral_mps2);
        if (!steady(w, i))
            continue;
        if (a < 0 && ay_mps2 >= low_mps2 - 1e-9)
            a = i;
        if (ay_mps2 <= high_mps2 + 1e-9)
            b = i;
    }
    if (a < 0 || b <= a)
        return NAN;
    return (over_arc(w, b) - over_arc(w, a)) /
           (w->point[b].lateral_mps2 - w->point[a].lateral_mps2);
}
