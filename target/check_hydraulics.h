/* What the hydraulics of a car can do, for `skidpad check`: found by driving them. */
#ifndef SKIDPAD_TARGET_CHECK_HYDRAULICS_H
#define SKIDPAD_TARGET_CHECK_HYDRAULICS_H

#include "target/model/hydraulics.h"

#include <stdio.h>

struct check_hydraulics {
    double full_Pa, travel_m;           /* pedal pushed fully */
    double to_50bar_s;                  /* of a front wheel, from the push */
    double build_Paps[2], drop_Paps[2]; /* steepest 5 ms of one front and one rear wheel */
    double pump_m3ps[3];                /* of a circuit at 0, 100 and 150 bar */
    double empty_s;                     /* a full accumulator, at 100 bar */
    double alone_s;                     /* 30 bar in one front wheel without a pedal; < 0: never */
};

void check_hydraulics(const struct hydraulics_model *m, struct check_hydraulics *out);
/* Nothing for a car without them. */
void check_hydraulics_print(const struct hydraulics_model *m, FILE *to);

#endif
