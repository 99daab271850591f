/* The Sedan of Project Chrono in our files, made from its JSON files, its kinematics tables and its
 * tyre file, and from what its program does with them (revision 7689fbc0, the one that made the
 * runs). docs/validation.md tells the whole story. */
#ifndef SKIDPAD_TESTS_CHRONO_SEDAN_H
#define SKIDPAD_TESTS_CHRONO_SEDAN_H

#include "rt-tests/support/validation.h"

#include <stdbool.h>

/* Where the inertia of propeller shaft and differential goes, which our driveline has no place for.
 * Their rear wheels turn as one (docs/validation.md), so both places give the same motion. */
enum chrono_shaft {
    CHRONO_SHAFT_AT_ENGINE, /* right while third gear stays in: step and sine */
    CHRONO_SHAFT_AT_WHEELS, /* right in every gear of a straight run: accbrake */
};

/* Mass, centre of gravity in the chassis frame, inertia about it (xx yy zz xz as in the tensor). */
struct chrono_mass {
    double kg, cg_m[3], inertia_kgm2[4];
};
/* Of all parts at rest without the wheels' spin inertia, or (as_stated) as the README of the data
 * states it: as built, before the tyres are mounted and the springs settle. */
struct chrono_mass chrono_mass(bool as_stated);
/* Mass of one corner that moves with its hub. */
double chrono_unsprung_kg(void);

/* Reads one of their runs: step, sine or accbrake. The caller frees it. */
void chrono_read(const char *name, struct csv *theirs);

/* Writes tyre.tir: their file with the changes that their program makes in its meaning. */
void chrono_write_tyre(const struct validation_folder *f);
/* Writes tyre.tir and car.yaml. */
void chrono_write_car(const struct validation_folder *f, enum chrono_shaft shaft);
/* Writes scenario.yaml: the inputs that their run logged. It starts lead_s earlier at a steady
 * speed, which the throttle of the first row holds, so that the start has died away at their 0. */
void chrono_write_scenario(const struct validation_folder *f, const struct csv *theirs,
                           double lead_s);

#endif
