/* The test car as a set of bodies in space, by other means than the model: positions from the test
 * car's own polynomials, rotation matrices instead of axis formulas, world axes throughout. The
 * sprung body, four hubs with their unsprung mass, four wheels that spin, rack and hand wheel.
 *
 * Shared with the model are only its assumptions: the wheels' transverse inertia turns with the
 * body and hangs on the rack, rack and hand wheel have inertia but no place. */
#ifndef SKIDPAD_TESTS_PARTS_H
#define SKIDPAD_TESTS_PARTS_H

#include "rt-tests/support/testcar.h"

struct parts {
    double turn[3][3];         /* body to world */
    double cg_m[3], cg_mps[3]; /* sprung body's centre of gravity */
    double rate_radps[3];      /* body */
    double spin_kgm2ps[3];     /* sprung body's angular momentum about that point */
    double hub_m[WHEELS][3], hub_mps[WHEELS][3];
    double carrier[WHEELS][3][3];   /* to world; the second column is the wheel's axis */
    double wheel_kgm2ps[WHEELS][3]; /* angular momentum of each spinning wheel */
};

struct parts_energy {
    double kinetic_J, gravity_J, elastic_J;
};

void parts_of(const struct testcar *c, const struct lumped15_state *s, struct parts *p);

/* On a level ground at height 0. free_m: free lengths of the springs, front and rear. */
struct parts_energy parts_energy(const struct testcar *c, const struct lumped15_state *s,
                                 const double free_m[AXLES]);

/* Linear momentum; place and angular momentum about the whole car's centre of mass. */
void parts_momentum(const struct testcar *c, const struct parts *p, double linear[3],
                    double centre_m[3], double angular[3]);

double parts_mass_kg(const struct testcar *c);
/* Rack with the wheels' steering inertia. */
double parts_rack_kg(const struct testcar *c);

#endif
