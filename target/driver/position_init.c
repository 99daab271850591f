/* What the position controller knows of its car. */
#include "target/driver/position.h"
#include "target/model/footing.h"
#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <math.h> /* fabs only */
#include <string.h>

void position_defaults(struct position_settings *s)
{
    *s = (struct position_settings){.lateral_radps = 4.0,
                                    .lateral_damping = 0.9,
                                    .along_1ps = 2.0,
                                    .lead_s = 0.08,
                                    .leash_m = 1.0,
                                    .hand_wheel_radps = 17.5,
                                    .grip = 0.98,
                                    .pedal_1ps = 10.0};
}

/* Lateral force of the front axle at rest loads over tan(slip), in shares of its peak. */
static double front_share(const struct position_model *m, const double load_N[WHEELS],
                          double tan_alpha, double *stiff_N, double *peak_N)
{
    struct tyre_in in;
    struct tyre_out out;
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = load_N[i];
        in.tan_alpha[i] = -tan_alpha;
        in.vx_mps[i] = 15.0;
        in.pressure_Pa[i] = m->car->inflation_Pa[i];
        in.friction[i] = 1.0;
    }
    tyre_forces(m->car->tyres, &in, &out);
    *stiff_N = out.stiff_y_N[FL] + out.stiff_y_N[FR];
    *peak_N = out.peak_y_N[FL] + out.peak_y_N[FR];
    return (out.fy_N[FL] + out.fy_N[FR]) / *peak_N;
}

/* (D-6): the slip that gives a share of the peak, in units of peak over stiffness. */
static void slip_table(struct position_model *m, const double load_N[WHEELS])
{
    double stiff_N, peak_N;
    (void)front_share(m, load_N, 0.0, &stiff_N, &peak_N);
    m->stiff_1prad = stiff_N / (load_N[FL] + load_N[FR]);
    m->peak = peak_N / (load_N[FL] + load_N[FR]);
    double unit = peak_N / stiff_N;
    for (int i = 0; i < POSITION_SLIP; i++) {
        double want = (double)i / (POSITION_SLIP - 1), low = 0.0, high = 6.0 * unit, s, p;
        /* The curve falls behind its peak: search below it only. */
        for (int n = 0; n < 60 && front_share(m, load_N, high, &s, &p) <
                                      front_share(m, load_N, 0.95 * high, &s, &p);
             n++)
            high *= 0.95;
        for (int n = 0; n < 40; n++) {
            double middle = 0.5 * (low + high);
            if (front_share(m, load_N, middle, &s, &p) < want)
                low = middle;
            else
                high = middle;
        }
        m->slip[i] = i ? 0.5 * (low + high) / unit : 0.0;
    }
}

void position_init(struct position_model *m, const struct position_settings *set,
                   const struct car_facts *car, const struct path *path)
{
    struct footing f;
    memset(m, 0, sizeof *m);
    m->set = *set;
    m->path = path;
    m->car = car;
    footing_of(car, &f);
    m->front_m = f.front_m;
    m->rear_m = f.rear_m;
    m->radius_m = 0.25 * (f.radius_m[FL] + f.radius_m[FR] + f.radius_m[RL] + f.radius_m[RR]);
    m->brake_N = f.brake_N;
    slip_table(m, f.load_N);
}
