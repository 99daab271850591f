#include "target/model/aero.h"

void aero_defaults(struct aero_model *m, double front_x_m, double rear_x_m, double height_m)
{
    *m = (struct aero_model){.air_density_kgpm3 = 1.225,
                             .length_m = fabs(front_x_m - rear_x_m),
                             .front_x_m = front_x_m,
                             .rear_x_m = rear_x_m,
                             .reference_m = v3(0.5 * (front_x_m + rear_x_m), 0.0, height_m)};
}

/* With sin beta = u_y / |u_h| and cos beta = u_x / |u_h| of the horizontal flow u_h, every angle
 * becomes a quotient of velocities that cancels against the dynamic pressure: no angle is computed
 * and the only quotients left are bounded by 1. */
void aero_force(const struct aero_model *m, struct vec3 air_velocity_body_mps, struct vec3 *force_N,
                struct vec3 *moment_Nm)
{
    struct vec3 u = air_velocity_body_mps;
    double level2 = u.x * u.x + u.y * u.y;
    double speed2 = level2 + u.z * u.z;
    double speed = sqrt(speed2);
    double side_share = level2 > 0.0 ? u.y * u.y / level2 : 0.0; /* sin^2 beta */
    double k = 0.5 * m->air_density_kgpm3 * m->area_m2;

    /* against the motion, component by component */
    double cx = m->cd + m->cd_rise * side_share;
    struct vec3 along = v3(k * cx * speed * u.x, k * m->cs * speed * u.y, k * m->cd * speed * u.z);

    /* lift is at a right angle to the flow, so that it does no work */
    double front_N = k * level2 * (m->clf + m->clf_rise * side_share);
    double rear_N = k * level2 * (m->clr + m->clr_rise * side_share);
    double tilt = speed2 > 0.0 ? u.z / speed2 : 0.0;
    struct vec3 up = v3(-tilt * u.x, -tilt * u.y, 1.0 - tilt * u.z);
    struct vec3 front_m = v3(m->front_x_m, 0.0, m->reference_m.z);
    struct vec3 rear_m = v3(m->rear_x_m, 0.0, m->reference_m.z);

    *force_N = v3_madd(along, front_N + rear_N, up);
    /* the yaw moment, and the forces at their points */
    struct vec3 arm_Nm = v3_madd(v3_scale(front_N, front_m), rear_N, rear_m);
    *moment_Nm = v3_add(v3_cross(m->reference_m, along), v3_cross(arm_Nm, up));
    moment_Nm->z -= k * m->length_m * m->cn * u.x * u.y;
}
