#include "target/signals_fill.h"

#include <string.h>

void signals_fill(struct signals *record, const struct plant_in *in, const struct plant_out *p,
                  const struct sensors_out *s)
{
#define SIGNAL(type, name, unit, source, meaning) record->name = source;
#define SIGNAL4(type, name, unit, source, meaning)                                                 \
    record->fl_##name = (source)[FL];                                                              \
    record->fr_##name = (source)[FR];                                                              \
    record->rl_##name = (source)[RL];                                                              \
    record->rr_##name = (source)[RR];
#define LINKED(type, name, unit, meaning)
#define LINKED4(type, name, unit, meaning)
#define COURSE(type, name, unit, meaning)
#include "shared/wire/signals.def"
#undef SIGNAL
#undef SIGNAL4
#undef LINKED
#undef LINKED4
#undef COURSE
}

#define FOUR(to, name)                                                                             \
    do {                                                                                           \
        (to)[FL] = r->fl_##name;                                                                   \
        (to)[FR] = r->fr_##name;                                                                   \
        (to)[RL] = r->rl_##name;                                                                   \
        (to)[RR] = r->rr_##name;                                                                   \
    } while (0)

void signals_inputs(const struct signals *r, struct plant_in *in)
{
    memset(in, 0, sizeof *in);
    in->hand_wheel_rad = r->in_hand_wheel_rad;
    in->hand_wheel_Nm = r->in_hand_wheel_Nm;
    in->throttle = r->in_throttle;
    in->brake_pedal = r->in_brake_pedal;
    in->clutch_pedal = r->in_clutch_pedal;
    in->gear = r->in_gear;
    in->steer = r->in_steer;
    in->brake = r->in_brake;
    FOUR(in->valves.inlet, in_inlet_valve);
    FOUR(in->valves.outlet, in_outlet_valve);
    in->valves.separation[CIRCUIT_1] = r->in_separation_valve_1;
    in->valves.separation[CIRCUIT_2] = r->in_separation_valve_2;
    in->valves.prime[CIRCUIT_1] = r->in_prime_valve_1;
    in->valves.prime[CIRCUIT_2] = r->in_prime_valve_2;
    in->valves.pump = r->in_pump;
    FOUR(in->leak.wheel, in_leak);
    in->leak.circuit[CIRCUIT_1] = r->in_leak_1;
    in->leak.circuit[CIRCUIT_2] = r->in_leak_2;
    in->hydraulic_fault = r->in_hydraulic_fault;
    in->hold = r->in_hold;
    FOUR(in->slow_Paps, in_slow_Paps);
    in->pressure_driver = r->in_pressure_driver;
    FOUR(in->wheel_torque_Nm, in_torque_Nm);
    FOUR(in->wheel_pressure_Pa, in_pressure_Pa);
    in->engine_limit_Nm = r->in_engine_limit_Nm;
    in->engine_raise_Nm = r->in_engine_raise_Nm;
    in->engine_limit = r->in_engine_limit;
    in->engine_raise = r->in_engine_raise;
    in->push_N[0] = r->in_push_x_N;
    in->push_N[1] = r->in_push_y_N;
    in->push_N[2] = r->in_push_z_N;
    in->wind_mps[0] = r->in_wind_x_mps;
    in->wind_mps[1] = r->in_wind_y_mps;
    in->wind_mps[2] = r->in_wind_z_mps;
}
