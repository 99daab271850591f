/* A car made by a test: every parameter is a number here, so that closed forms can use it, and
 * testcar_load() takes the usual way through files, in a folder that is gone afterwards.
 *
 * The kinematics are polynomials in travel and rack up to the third power each, which the model's
 * spline reproduces: f(z, s) = sum over a, b of map[q][a][b] z^a s^b, for the left wheel. */
#ifndef SKIDPAD_TESTS_TESTCAR_H
#define SKIDPAD_TESTS_TESTCAR_H

#include "rt-tests/support/lumped15_of.h"
#include "target/vehicle/vehicle_load.h"

enum { TESTCAR_TERMS = 4 };

struct testcar_axle {
    double map[KIN_QUANTITIES][TESTCAR_TERMS][TESTCAR_TERMS];
    double unsprung_kg, wheel_kgm2, transverse_kgm2; /* of one wheel */
    double spring_Npm, bar_Npm;
    double bump_Nspm, rebound_Nspm; /* damper, at the damper */
    double stop_m, stop_Npm;        /* clearance and rate of both stops */
};

struct testcar_tyre {
    double radius_m, load0_N;
    double stiffness_Npm, bend; /* at load0_N; Q_FZ2, quadratic part */
    double damping_Nspm;
    double peak_x, peak_y;       /* friction at load0_N */
    double stiff_x, stiff_y;     /* slip and greatest cornering stiffness over load0_N */
    double trail;                /* QDZ1: pneumatic trail over radius */
    double rolling;              /* resistance coefficient */
    double rolling_d, rolling_f; /* DREFF, FREFF: how the rolling radius falls with load */
    double carcass_x_Npm, carcass_y_Npm;
};

struct testcar {
    double gravity_mps2;
    double sprung_kg, cg_m[3], inertia_kgm2[6]; /* xx yy zz xy xz yz, as in lumped15_model */
    double travel_m, rack_m;                    /* kinematics reach from minus to plus these */
    struct testcar_axle axle[AXLES];
    struct testcar_tyre tyre;
    double pinion_mprad, column_Nmprad, column_Nmsprad;
    double hand_kgm2, hand_friction_Nm;
    double rack_kg, rack_Nspm, rack_friction_N, rack_stop_m, rack_stop_Npm;
    double front_NmpPa, rear_NmpPa; /* brakes, without threshold and lag */
    const char *more;               /* further text of the vehicle file, or NULL */
    const char *model;              /* NULL: lumped15 */
};

/* A 1500 kg car without dissipation: hubs move straight up and down, the rack only turns the front
 * wheels, springs stand on the hubs; no dampers, no friction in the steering, tyres that neither
 * damp nor resist rolling, no air, no engine, no hull. */
void testcar_plain(struct testcar *c);

/* The same car with kinematics that curve strongly in every quantity and both directions, springs
 * and dampers that feel the rack, a full inertia tensor, quadratic tyres. */
void testcar_curved(struct testcar *c);

/* Gives a car the dampers, frictions and tyre losses of an ordinary one. */
void testcar_dissipate(struct testcar *c);

/* Loads the car with the semi-implicit integrator; fails the test with the loader's messages. The
 * caller frees it and may change integrator and substeps of its model. */
struct vehicle *testcar_load(const struct testcar *c, double step_s);

/* The map of one quantity for a wheel: value and derivatives by travel and rack; right wheels are
 * mirrored. For closed forms: independent of the model's spline. */
struct testcar_value {
    double f, z, s;
};
struct testcar_value testcar_at(const struct testcar *c, int wheel, int quantity, double travel_m,
                                double rack_m);

#endif
