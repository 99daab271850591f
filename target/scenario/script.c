#include "target/scenario/script.h"

double series_at(const struct series *s, double time_s, double otherwise)
{
    if (s->count == 0)
        return otherwise;
    int low = 0, high = s->count - 1;
    if (!(time_s > s->time_s[0]))
        return s->value[0];
    if (time_s >= s->time_s[high])
        return s->value[high];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (time_s >= s->time_s[middle])
            low = middle;
        else
            high = middle;
    }
    if (s->last_value)
        return s->value[low];
    double share = (time_s - s->time_s[low]) / (s->time_s[high] - s->time_s[low]);
    return s->value[low] + share * (s->value[high] - s->value[low]);
}

void script_at(const struct script *s, double time_s, double end_s, struct plant_in *in)
{
    in->hand_wheel_rad = series_at(&s->hand_wheel_rad, end_s, 0.0);
    in->hand_wheel_Nm = series_at(&s->hand_wheel_Nm, time_s, 0.0);
    in->throttle = series_at(&s->throttle, time_s, 0.0);
    in->brake_pedal = series_at(&s->brake_pedal, time_s, 0.0);
    in->clutch_pedal = series_at(&s->clutch_pedal, time_s, 0.0);
    in->gear = (int32_t)series_at(&s->gear, time_s, (double)s->default_gear);
    for (int i = 0; i < WHEELS; i++) {
        in->wheel_torque_Nm[i] = series_at(&s->torque_Nm[i], time_s, 0.0);
        in->wheel_pressure_Pa[i] = series_at(&s->pressure_Pa[i], time_s, 0.0);
        in->slow_Paps[i] = 0.0;
    }
    for (int k = 0; k < 3; k++)
        in->push_N[k] = series_at(&s->push_N[k], time_s, 0.0);
    in->steer = s->steer;
    in->engine_limit_Nm = in->engine_raise_Nm = 0.0;
    in->engine_limit = in->engine_raise = 0;
    in->brake = s->use_pressures ? PLANT_BRAKE_PRESSURES : PLANT_BRAKE_PEDAL;
    in->valves = (struct plant_valves){.pump = 0.0};
    in->leak = (struct plant_leak){.wheel = {0.0}};
    in->hydraulic_fault = in->hold = in->pressure_driver = 0;
}
