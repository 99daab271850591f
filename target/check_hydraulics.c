#include "target/check_hydraulics.h"

#include <math.h>
#include <string.h>

#define BAR 1e5
#define CM3 1e-6

static const double step_s = 1e-4;
enum { WINDOW = 50 }; /* steps that a gradient is taken over: 5 ms */

static struct plant_in valves_at_rest(double pedal)
{
    struct plant_in in;
    memset(&in, 0, sizeof in);
    in.brake = PLANT_BRAKE_VALVES;
    in.brake_pedal = pedal;
    return in;
}

static void drive(const struct hydraulics_model *m, struct hydraulics_state *s,
                  const struct plant_in *in, double for_s)
{
    int steps = (int)ceil(for_s / step_s);
    for (int n = 0; n < steps; n++)
        hydraulics_step(m, s, in, step_s);
}

static double wheel_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s, int i)
{
    double p_Pa[WHEELS];
    hydraulics_caliper_Pa(m, s, p_Pa);
    return p_Pa[i];
}

/* Largest change of a wheel's pressure in 5 ms, over 0.2 s. */
static double steepest_Paps(const struct hydraulics_model *m, struct hydraulics_state *s,
                            const struct plant_in *in, int wheel)
{
    double past_Pa[WINDOW], most = 0.0;
    for (int n = 0; n < WINDOW; n++)
        past_Pa[n] = wheel_Pa(m, s, wheel);
    for (int n = 0; n < 2000; n++) {
        hydraulics_step(m, s, in, step_s);
        double now_Pa = wheel_Pa(m, s, wheel);
        most = fmax(most, fabs(now_Pa - past_Pa[n % WINDOW]) / (WINDOW * step_s));
        past_Pa[n % WINDOW] = now_Pa;
    }
    return most;
}

/* The inlet of an empty wheel opens to the full pressure; then its outlet does with the inlet
 * shut. */
static void gradients(const struct hydraulics_model *m, int wheel, double *build, double *drop)
{
    struct hydraulics_state s;
    struct plant_in in = valves_at_rest(1.0);
    hydraulics_reset(m, &s);
    in.valves.inlet[wheel] = 1.0;
    s.inlet[wheel] = 0.0;
    drive(m, &s, &in, 1.0);
    in.valves.inlet[wheel] = 0.0;
    *build = steepest_Paps(m, &s, &in, wheel);
    in.valves.inlet[wheel] = in.valves.outlet[wheel] = 1.0;
    *drop = steepest_Paps(m, &s, &in, wheel);
}

static double rise_s(const struct hydraulics_model *m, const struct plant_in *in, int wheel,
                     double to_Pa)
{
    struct hydraulics_state s;
    hydraulics_reset(m, &s);
    for (int n = 1; n <= 50000; n++) {
        hydraulics_step(m, &s, in, step_s);
        if (wheel_Pa(m, &s, wheel) >= to_Pa)
            return n * step_s;
    }
    return -1.0;
}

void check_hydraulics(const struct hydraulics_model *m, struct check_hydraulics *out)
{
    const double at_Pa[3] = {0.0, 100.0 * BAR, 150.0 * BAR};
    struct hydraulics_state s;
    struct plant_in in = valves_at_rest(1.0);
    hydraulics_reset(m, &s);
    drive(m, &s, &in, 2.0);
    out->full_Pa = hydraulics_master_Pa(m, &s, CIRCUIT_1);
    out->travel_m = hydraulics_pedal_m(m, &s);
    out->to_50bar_s = rise_s(m, &in, FL, 50.0 * BAR);
    gradients(m, FL, &out->build_Paps[0], &out->drop_Paps[0]);
    gradients(m, RL, &out->build_Paps[1], &out->drop_Paps[1]);
    for (int k = 0; k < 3; k++)
        out->pump_m3ps[k] = m->pump_m3ps * fmax(1.0 - at_Pa[k] / m->stall_Pa, 0.0);
    /* dv/dt = -Q v / (v + v_s) from full to what half the delivery is left at. */
    double low = m->suction_m3, full = m->accumulator_m3;
    out->empty_s = (full - low + m->suction_m3 * log(full / low)) / out->pump_m3ps[1];
    in = valves_at_rest(0.0);
    int c = m->circuit[FL];
    in.valves.separation[c] = in.valves.prime[c] = in.valves.pump = 1.0;
    in.valves.inlet[m->wheel[c][0] == FL ? m->wheel[c][1] : m->wheel[c][0]] = 1.0;
    out->alone_s = rise_s(m, &in, FL, 30.0 * BAR);
}

static double caliper_m3(const struct hydraulics_model *m, int i, double p_Pa)
{
    double a = m->caliper_Papm3[i], b = m->caliper_Papm6[i];
    return 2.0 * p_Pa / (a + sqrt(a * a + 4.0 * b * p_Pa));
}

void check_hydraulics_print(const struct hydraulics_model *m, FILE *to)
{
    struct check_hydraulics h;
    if (!m->on)
        return;
    check_hydraulics(m, &h);
    fprintf(to,
            "  brakes      %s split, %.0f bar and %.0f mm of travel at full pedal, 50 bar in a "
            "front wheel after %.0f ms\n",
            m->split == HYDRAULICS_DIAGONAL ? "diagonal" : "front-rear", h.full_Pa / BAR,
            1e3 * h.travel_m, 1e3 * h.to_50bar_s);
    fprintf(
        to, "    build-up  %.0f bar/s front, %.0f rear; release %.0f and %.0f (steepest 5 ms)\n",
        h.build_Paps[0] / BAR, h.build_Paps[1] / BAR, h.drop_Paps[0] / BAR, h.drop_Paps[1] / BAR);
    fprintf(
        to,
        "    accumulators of %.1f cm3 at %.1f to %.1f bar; a front caliper holds %.2f cm3 at 100 "
        "bar, a rear one %.2f\n",
        m->accumulator_m3 / CM3, m->accumulator_Pa / BAR,
        (m->accumulator_Pa + m->accumulator_Papm3 * m->accumulator_m3) / BAR,
        caliper_m3(m, FL, 100.0 * BAR) / CM3, caliper_m3(m, RL, 100.0 * BAR) / CM3);
    fprintf(to,
            "    pump      %.2f cm3/s a circuit without pressure, %.2f at 100 bar, %.2f at 150; "
            "empties "
            "a full accumulator in %.1f s\n",
            h.pump_m3ps[0] / CM3, h.pump_m3ps[1] / CM3, h.pump_m3ps[2] / CM3, h.empty_s);
    if (h.alone_s > 0.0)
        fprintf(to, "    30 bar in a front wheel without a pedal after %.2f s\n", h.alone_s);
    fprintf(to, "    fluid     %.1f mm2/s at %g degC, laminar below %.3g bar\n",
            1e6 * m->viscosity_m2ps, m->fluid_degC, m->transition_Pa / BAR);
}
