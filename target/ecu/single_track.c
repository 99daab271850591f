#include "target/ecu/single_track.h"

#include <math.h>

#define SLOW_MPS 5.0 /* below it the wheels roll where they point */

static double clip(double x, double most)
{
    return fmin(fmax(x, -most), most);
}

/* Axle stiffness from slip per lateral acceleration: in a steady turn each axle carries its share
 * of the mass. */
void single_track_step(const struct car_params *car, double speed_mps, double steer_rad,
                       double friction, struct single_track *s)
{
    double rear_m = car->wheelbase_m - car->front_m, m = car->mass_kg;
    if (speed_mps < SLOW_MPS) {
        s->yaw_radps = speed_mps * steer_rad / car->wheelbase_m;
        s->sideslip_rad = steer_rad * rear_m / car->wheelbase_m;
        return;
    }
    double front_kg = m * rear_m / car->wheelbase_m, rear_kg = m - front_kg;
    double front_Nprad = front_kg / (car->rear_slip_radspm + car->understeer_radspm);
    double rear_Nprad = rear_kg / car->rear_slip_radspm;
    double front_rad = steer_rad - s->sideslip_rad - car->front_m * s->yaw_radps / speed_mps;
    double rear_rad = -s->sideslip_rad + rear_m * s->yaw_radps / speed_mps;
    double front_N = clip(front_Nprad * front_rad, friction * front_kg * ECU_G_MPS2);
    double rear_N = rear_Nprad * rear_rad;
    double turn = (front_N + rear_N) / (m * speed_mps) - s->yaw_radps;
    s->sideslip_rad += ECU_CYCLE_S * turn;
    s->yaw_radps +=
        ECU_CYCLE_S * (car->front_m * front_N - rear_m * rear_N) / car->yaw_inertia_kgm2;
}
