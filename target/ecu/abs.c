#include "target/ecu/abs.h"

#include <math.h>

static int channel_of(int wheel)
{
    return wheel < ECU_RL ? wheel : ABS_REAR;
}

/* A wheel with brake torque T and road force F: I dw/dt = F r - T. What the road carries, as a
 * pressure, is the pressure less what slows the wheel itself down. */
static double carried_Pa(const struct car_params *car, const struct abs_car_in *in, int i)
{
    double spin_Nm = car->inertia_kgm2[i] * in->wheel[i].accel_mps2 / car->radius_m[i];
    return in->pressure->brake_Pa[i] + spin_Nm / car->brake_NmpPa[i];
}

static struct abs_in see(const struct car_params *car, const struct abs_car_in *in, int first,
                         int last)
{
    const struct reference *r = in->reference;
    struct abs_in c = {.reference_mps = r->speed_mps,
                       .behind_mps = -INFINITY,
                       .relative_mps2 = INFINITY,
                       .friction = fmin(fmax(-r->accel_mps2 / ECU_G_MPS2, 0.0), 1.0),
                       .asked = fmin(pressure_decel_mps2(car, in->pressure) / ECU_G_MPS2, 1.0),
                       .brake_Pa = in->pressure->brake_Pa[first],
                       .carried_Pa = INFINITY,
                       .driver_Pa = fmax(in->asked_Pa[first], in->asked_Pa[last]),
                       .more_slip = fmax(in->more_slip[first], in->more_slip[last]),
                       .braking = (in->braked >> first & 1u) || (in->braked >> last & 1u)};
    for (int i = first; i <= last; i++) {
        double behind = r->speed_mps - r->at_centre_mps[i];
        if (behind > c.behind_mps) {
            c.behind_mps = behind;
            c.relative_mps2 = in->wheel[i].accel_mps2 - r->accel_mps2;
        }
        c.carried_Pa = fmin(c.carried_Pa, carried_Pa(car, in, i));
    }
    return c;
}

/* What the road carries at a front wheel, as far as it is known. */
static double limit_of_Pa(const struct abs_channel *c, double asked_Pa)
{
    return c->phase == ECU_PHASE_OFF ? asked_Pa : c->lock_Pa;
}

void abs_step(const struct abs_params *p, const struct yaw_delay_params *delay,
              const struct car_params *car, const struct abs_car_in *in, struct abs_state *s,
              double bound_Pa[ECU_WHEELS])
{
    double limit_Pa[2], delayed_Pa[2];
    for (int c = 0; c < ABS_CHANNELS; c++) {
        int first = c == ABS_REAR ? ECU_RL : c, last = c == ABS_REAR ? ECU_RR : c;
        struct abs_in see_c = see(car, in, first, last);
        abs_channel_step(p, &see_c, &s->channel[c]);
        if (c == ABS_FL)
            s->friction = see_c.friction;
    }
    for (int c = 0; c < 2; c++)
        limit_Pa[c] = limit_of_Pa(&s->channel[c], in->asked_Pa[c]);
    int front =
        s->channel[ABS_FL].phase != ECU_PHASE_OFF || s->channel[ABS_FR].phase != ECU_PHASE_OFF;
    yaw_delay_step(delay, limit_Pa, front && in->delay, in->yaw_rate_radps,
                   in->reference->speed_mps, delayed_Pa, &s->yaw_delay);
    for (int i = 0; i < ECU_WHEELS; i++) {
        struct abs_channel *c = &s->channel[channel_of(i)];
        bound_Pa[i] = c->phase == ECU_PHASE_OFF ? INFINITY : c->request_Pa;
        if (i >= ECU_RL || bound_Pa[i] < delayed_Pa[i])
            continue;
        bound_Pa[i] = delayed_Pa[i];
        /* The channel goes on from what it gets, not from what it would have asked for. */
        if (c->phase != ECU_PHASE_OFF)
            c->request_Pa = delayed_Pa[i];
    }
}

void abs_stop(struct abs_state *s)
{
    for (int c = 0; c < ABS_CHANNELS; c++)
        abs_channel_off(&s->channel[c]);
    s->yaw_delay.active = 0;
}

uint32_t abs_phase(const struct abs_state *s, int wheel)
{
    return s->channel[channel_of(wheel)].phase;
}

int abs_is_active(const struct abs_state *s)
{
    for (int c = 0; c < ABS_CHANNELS; c++)
        if (s->channel[c].phase != ECU_PHASE_OFF)
            return 1;
    return 0;
}

int abs_is_split(const struct abs_state *s, double driver_Pa)
{
    double left_Pa = limit_of_Pa(&s->channel[ABS_FL], driver_Pa);
    double right_Pa = limit_of_Pa(&s->channel[ABS_FR], driver_Pa);
    return abs_is_active(s) && fmin(left_Pa, right_Pa) < 0.6 * fmax(left_Pa, right_Pa);
}
