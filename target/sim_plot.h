/* A page of charts of an offline run. */
#ifndef SKIDPAD_TARGET_SIM_PLOT_H
#define SKIDPAD_TARGET_SIM_PLOT_H

#include "target/offline.h"

enum { SIM_PLOT_POINTS = 600 };

/* What is drawn; angles in degrees, speeds in km/h, pressures in bar. */
enum sim_plot_row {
    PLOT_TIME,
    PLOT_X,
    PLOT_Y,
    PLOT_SPEED,
    PLOT_WHEEL, /* four: circumferential speeds */
    PLOT_YAW_RATE = PLOT_WHEEL + WHEELS,
    PLOT_AY,
    PLOT_AX,
    PLOT_SIDESLIP,
    PLOT_ROLL,
    PLOT_PITCH,
    PLOT_HAND_WHEEL,
    PLOT_LOAD,                          /* four: kN */
    PLOT_PRESSURE = PLOT_LOAD + WHEELS, /* four */
    PLOT_ROWS = PLOT_PRESSURE + WHEELS
};

struct sim_plot {
    double every_s;
    size_t count;
    double radius_m[WHEELS]; /* rolling, for the circumferential speeds */
    double row[PLOT_ROWS][SIM_PLOT_POINTS];
};

void sim_plot_begin(struct sim_plot *p, const struct offline *o);
/* Keeps a point if one is due. */
void sim_plot_add(struct sim_plot *p, const struct offline *o);
/* Writes the page; variant: what its title says besides scenario and car, or NULL. Returns 0, or a
 * negative errno after a message on stderr. */
int sim_plot_write(const struct sim_plot *p, const struct offline *o, const char *variant,
                   const char *path);

#endif
