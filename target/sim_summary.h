/* The short summary of an offline run. */
#ifndef SKIDPAD_TARGET_SIM_SUMMARY_H
#define SKIDPAD_TARGET_SIM_SUMMARY_H

#include "target/offline.h"

#include <stdio.h>

struct sim_summary {
    double begin_mps;
    double path_m, last_x_m, last_y_m;
    double stop_s, stop_m;   /* first standstill after motion; < 0: none */
    double brake_s, brake_m; /* where the pedal was first pressed, time and path; < 0: never */
    double ay_mps2, ax_mps2, yaw_radps, roll_rad, sideslip_rad; /* largest magnitudes */
    double locked_s[WHEELS];                                    /* locked above 15 km/h */
    double airborne_s;
    double wall_s; /* set by the caller */
};

void sim_summary_begin(struct sim_summary *s, const struct offline *o);
void sim_summary_add(struct sim_summary *s, const struct offline *o);
/* From the pedal, or without one from the start, to standstill. */
double sim_summary_braking_s(const struct sim_summary *s);
double sim_summary_braking_m(const struct sim_summary *s);
void sim_summary_print(const struct sim_summary *s, const struct offline *o, const char *table,
                       FILE *to);

#endif
