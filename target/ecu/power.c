#include "target/ecu/power.h"

#include "target/ecu/car.h"

#include <math.h>

enum { VALVES = 8 };

/* The ignition came: an operation cycle with its checks begins. */
static void begin(struct power *s)
{
    s->state = ECU_POWER_ON;
    s->starts++;
    s->zero_learned = 0;
    s->stood_s = s->pulsed_s = s->pumped_s = 0.0;
}

int power_step(const struct power_params *p, double terminal, struct power *s)
{
    int ignition = terminal > 1.5;
    if (ignition && s->state != ECU_POWER_ON) {
        begin(s);
        return 1;
    }
    if (!ignition && s->state == ECU_POWER_ON) {
        s->state = ECU_POWER_AFTER_RUN;
        s->since_off_s = 0.0;
    }
    if (s->state == ECU_POWER_AFTER_RUN) {
        s->since_off_s += ECU_CYCLE_S;
        if (s->since_off_s >= p->after_run_s)
            s->state = ECU_POWER_OFF;
    }
    return 0;
}

static void learn(const struct power_params *p, struct power *s)
{
    double n = s->stood_s / ECU_CYCLE_S;
    double yaw = s->yaw_sum / n, acc = s->acc_y_sum / n;
    int steady = s->yaw_high_radps - s->yaw_low_radps <= p->steady_yaw_radps;
    if (steady && fabs(yaw) <= p->zero_yaw_radps && fabs(acc) <= p->zero_acc_mps2) {
        s->yaw_zero_radps = yaw;
        s->acc_y_zero_mps2 = acc;
        s->zero_learned++;
        s->zero_total++;
    }
    s->stood_s = 0.0; /* the next one, if the car still stands */
}

static void stand(const struct power_params *p, const struct power_in *in, struct power *s)
{
    if (!in->stands || !in->sensors_good) {
        s->stood_s = 0.0;
        return;
    }
    double yaw = in->yaw_rate_radps;
    int first = s->stood_s <= 0.0;
    s->yaw_sum = yaw + (first ? 0.0 : s->yaw_sum);
    s->acc_y_sum = in->acc_y_mps2 + (first ? 0.0 : s->acc_y_sum);
    s->yaw_low_radps = first ? yaw : fmin(s->yaw_low_radps, yaw);
    s->yaw_high_radps = first ? yaw : fmax(s->yaw_high_radps, yaw);
    s->stood_s += ECU_CYCLE_S;
    if (s->stood_s >= p->zero_s)
        learn(p, s);
}

void power_check(const struct power_params *p, const struct power_in *in, struct power *s)
{
    stand(p, in, s);
    /* Once begun the pulses go on unless the driver brakes or drives off. */
    s->pulses = in->works && in->stands && !in->braking && !power_valves_checked(p, s);
    if (s->pulses)
        s->pulsed_s += ECU_CYCLE_S;
    int drives = in->reference_mps > p->pump_mps && !in->braking;
    if (!power_pump_checked(p, s) && (drives || s->pumped_s > 0.0))
        s->pumped_s += ECU_CYCLE_S;
}

void power_correct(const struct power *s, struct ecu_rx *rx)
{
    rx->yaw_rate_radps -= s->yaw_zero_radps;
    rx->acc_y_mps2 -= s->acc_y_zero_mps2;
}

int power_valves_checked(const struct power_params *p, const struct power *s)
{
    return s->pulsed_s >= VALVES * p->pulse_s;
}

int power_pump_checked(const struct power_params *p, const struct power *s)
{
    return s->pumped_s >= p->pump_s;
}

int power_valve(const struct power_params *p, const struct power *s)
{
    if (s->state != ECU_POWER_ON || !s->pulses || power_valves_checked(p, s))
        return 0;
    return 1 + (int)(s->pulsed_s / p->pulse_s);
}

int power_pump(const struct power_params *p, const struct power *s)
{
    return s->state == ECU_POWER_ON && s->pumped_s > 0.0 && !power_pump_checked(p, s);
}
