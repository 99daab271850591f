#include "target/ecu/valves_load.h"

#include <math.h>

#define FLOW      (1e-6 / 3162.2776601683795) /* cm3/s at 100 bar */
#define BAR_P_CM3 1e11
#define BAR_P_CM6 1e17

static void axles(double to[ECU_WHEELS], double front, double rear)
{
    to[ECU_FL] = to[ECU_FR] = front;
    to[ECU_RL] = to[ECU_RR] = rear;
}

void valves_defaults(struct valves_params *p)
{
    *p = (struct valves_params){.interface = VALVES_OFF,
                                .lag_s = 0.0016,
                                .accumulator_m3 = 5.0e-6,
                                .accumulator_Pa = 2.0 * ECU_BAR_PA,
                                .pump_m3ps = 7.0e-6,
                                .stall_Pa = 300.0 * ECU_BAR_PA,
                                .prime_share = 0.70,
                                .relief_Pa = 200.0 * ECU_BAR_PA,
                                .line_m3 = 0.067e-6,
                                .dead_Pa = 0.6 * ECU_BAR_PA,
                                .active_Pa = 2.0 * ECU_BAR_PA};
    /* Valve and pipe together. */
    axles(p->inlet, 32.7 * FLOW, 14.7 * FLOW);
    axles(p->outlet, 30.9 * FLOW, 13.7 * FLOW);
    axles(p->caliper_Papm3, 8.0 * BAR_P_CM3, 18.0 * BAR_P_CM3);
    axles(p->caliper_Papm6, 7.3 * BAR_P_CM6, 45.0 * BAR_P_CM6);
}

static void pair(const struct cfg_node *n, const char *key, double to[ECU_WHEELS], double factor,
                 struct cfg_range range)
{
    double both[2] = {to[ECU_FL] / factor, to[ECU_RL] / factor};
    cfg_doubles(n, key, both, 2, range);
    axles(to, factor * both[0], factor * both[1]);
}

void valves_load(const struct cfg_node *n, struct valves_params *p)
{
    static const char *const splits[] = {"diagonal", "front-rear", NULL};
    int split = p->front_rear;
    cfg_choice(n, "split", &split, splits);
    p->front_rear = split;
    pair(n, "inlet_cm3ps", p->inlet, FLOW, CFG_BETWEEN(0.1, 1e4));
    pair(n, "outlet_cm3ps", p->outlet, FLOW, CFG_BETWEEN(0.1, 1e4));
    pair(n, "caliper_barpcm3", p->caliper_Papm3, BAR_P_CM3, CFG_BETWEEN(0.1, 1e4));
    pair(n, "caliper_barpcm6", p->caliper_Papm6, BAR_P_CM6, CFG_BETWEEN(1e-6, 1e5));
    cfg_scaled(n, "lag_ms", &p->lag_s, 1e-3, CFG_BETWEEN(0.0, 100.0));
    cfg_scaled(n, "accumulator_cm3", &p->accumulator_m3, 1e-6, CFG_BETWEEN(0.1, 100.0));
    cfg_scaled(n, "accumulator_bar", &p->accumulator_Pa, ECU_BAR_PA, CFG_BETWEEN(0.0, 20.0));
    cfg_scaled(n, "pump_cm3ps", &p->pump_m3ps, 1e-6, CFG_BETWEEN(0.01, 100.0));
    cfg_scaled(n, "stall_bar", &p->stall_Pa, ECU_BAR_PA, CFG_BETWEEN(10.0, 2000.0));
    cfg_double(n, "prime_share", &p->prime_share, CFG_BETWEEN(0.05, 1.0));
    cfg_scaled(n, "relief_bar", &p->relief_Pa, ECU_BAR_PA, CFG_BETWEEN(1.0, 1000.0));
    cfg_scaled(n, "line_cm3", &p->line_m3, 1e-6, CFG_BETWEEN(0.0, 10.0));
    cfg_scaled(n, "dead_bar", &p->dead_Pa, ECU_BAR_PA, CFG_BETWEEN(0.0, 20.0));
    cfg_scaled(n, "active_bar", &p->active_Pa, ECU_BAR_PA, CFG_BETWEEN(0.1, 50.0));
    cfg_done(n);
}
