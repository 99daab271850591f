/* Suspension kinematics of one axle: where the hub is and how the carrier is turned, over wheel
 * travel and rack displacement. Left side; the right one is its mirror.
 *
 * The map is a uniform cubic B-spline in both variables, so that first and second derivatives are
 * continuous: the equations of motion contain both. Outside its range it goes on linearly. */
#ifndef SKIDPAD_MODEL_KINEMATICS_H
#define SKIDPAD_MODEL_KINEMATICS_H

enum kin_quantity {
    KIN_HUB_X, /* m, body frame */
    KIN_HUB_Y,
    KIN_HUB_Z,
    KIN_TOE, /* rad; carrier = Rz(toe) Rx(camber) Ry(pitch) */
    KIN_CAMBER,
    KIN_PITCH,
    KIN_SPRING, /* m, length of the spring */
    KIN_DAMPER, /* m, length of the damper */
    KIN_QUANTITIES
};
enum { KIN_SECOND = 3 }; /* second derivatives exist of the hub's place */

enum { KIN_TRAVEL_MAX = 48, KIN_RACK_MAX = 80 }; /* grid points in each direction */

struct kinematics_model {
    double travel0_m, travel_step_m; /* first grid point and spacing */
    double rack0_m, rack_step_m;
    double travel_per_1pm, rack_per_1pm; /* 1 / step; made by kinematics_fit() */
    int travel_points;
    int rack_points; /* 0: the axle is not steered */
    /* Spline coefficients: points + 2 in each direction. */
    double coef[KIN_TRAVEL_MAX + 2][KIN_RACK_MAX + 2][KIN_QUANTITIES];
};

/* Value and derivatives by travel (z) and rack (s). */
struct kinematics_out {
    double f[KIN_QUANTITIES], fz[KIN_QUANTITIES], fs[KIN_QUANTITIES];
    double fzz[KIN_SECOND], fzs[KIN_SECOND], fss[KIN_SECOND];
};

/* side is +1.0 for the left wheel, -1.0 for the right one. */
void kinematics_at(const struct kinematics_model *m, double travel_m, double rack_m, double side,
                   struct kinematics_out *out);

/* Builds the spline from values[travel][rack][quantity] on the grid (rack_points 0 counts as one
 * column). At least 4 points in each direction that is used. Returns 0 or -EINVAL. */
int kinematics_fit(struct kinematics_model *m, const double *values);

#endif
