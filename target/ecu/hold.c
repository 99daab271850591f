#include "target/ecu/hold.h"

#include <math.h>

enum { OFF, READY, HOLDS, TO_DRIVE, TIME_OUT };

/* At rest the acceleration sensor shows the slope; uphill is positive. A car that would roll
 * against its gear is held. */
static int on_slope(const struct hold_params *p, const struct hold_in *in, const struct hold *s)
{
    double up = s->acc_x_mps2 / ECU_G_MPS2;
    return in->gear < 0.0 ? up < -p->slope : up > p->slope;
}

/* Torque through the clutch: what the engine gives less what speeds itself up. */
static int engine_holds(const struct hold_params *p, const struct car_params *car,
                        const struct hold_in *in, const struct hold *s)
{
    double clutch_Nm = in->engine_Nm - car->engine_kgm2 * s->engine_radps2;
    double force_N = clutch_Nm * car->first_ratio / car->radius_m[ECU_RL];
    return in->accelerator > 0.02 && force_N > p->margin * car->mass_kg * fabs(s->acc_x_mps2);
}

static void watch(const struct hold_in *in, struct hold *s)
{
    double rate = (in->engine_radps - s->engine_radps) / ECU_CYCLE_S;
    s->engine_radps = in->engine_radps;
    s->engine_radps2 += 0.1 * (rate - s->engine_radps2);
    s->acc_x_mps2 += 0.02 * (in->acc_x_mps2 - s->acc_x_mps2);
    s->still_s = in->speed_mps > 0.0 ? 0.0 : fmin(s->still_s + ECU_CYCLE_S, 100.0);
}

static void move_on(const struct hold_params *p, const struct car_params *car,
                    const struct hold_in *in, struct hold *s)
{
    switch (s->phase) {
    case OFF:
        if (s->still_s > p->still_s && in->braking && in->driver_Pa > p->least_Pa &&
            on_slope(p, in, s)) {
            s->phase = READY;
            s->held_Pa = 0.0;
        }
        break;
    case READY: /* the most of the last moments before the foot goes */
        s->held_Pa = fmin(fmax(in->driver_Pa, s->held_Pa), p->max_Pa);
        s->free_s = 0.0;
        if (in->driver_Pa < 0.9 * s->held_Pa)
            s->phase = HOLDS;
        if (!on_slope(p, in, s))
            s->phase = OFF;
        break;
    case HOLDS:
        s->free_s = in->braking ? 0.0 : s->free_s + ECU_CYCLE_S;
        if (in->driver_Pa > s->held_Pa)
            s->phase = READY;
        else if (engine_holds(p, car, in, s))
            s->phase = TO_DRIVE;
        else if (s->free_s > p->time_out_s)
            s->phase = TIME_OUT;
        break;
    default:
        s->held_Pa -= (s->phase == TO_DRIVE ? p->release_Paps : p->end_Paps) * ECU_CYCLE_S;
        if (!(s->held_Pa > 0.0))
            s->phase = OFF;
        break;
    }
}

double hold_step(const struct hold_params *p, const struct car_params *car,
                 const struct hold_in *in, struct hold *s)
{
    watch(in, s);
    if (!in->works) {
        s->phase = OFF;
        return 0.0;
    }
    move_on(p, car, in, s);
    return s->phase >= HOLDS ? s->held_Pa : 0.0;
}

int hold_acts(const struct hold *s)
{
    return s->phase >= HOLDS;
}
