/* A row of steady turns, from straight on to beyond the limit. */
#ifndef SKIDPAD_TARGET_STEADY_SWEEP_H
#define SKIDPAD_TARGET_STEADY_SWEEP_H

#include "target/steady.h"

enum { STEADY_POINTS = 2000 };

struct steady_sweep {
    /* What is asked for. */
    double radius_m;  /* > 0: held, the speed rises */
    double speed_mps; /* else this is held, the radius shrinks */
    double step_mps2; /* of lateral acceleration */
    double to_mps2;   /* as far as that; 0: a tenth beyond the limit */
    bool right;       /* turns to the right */
    /* Answers. */
    int count;
    struct steady_point point[STEADY_POINTS];
    bool has_limit;
    struct steady_point limit; /* the last turn that is steady, by bisection */
    double base_m;             /* wheelbase */
};

void steady_sweep_run(struct steady_sweep *w, struct steady *s);

/* At a point, from its neighbours: steering angle of the front wheels beyond that of the arc, and
 * hand wheel (radius held only, else NAN), per lateral acceleration. NAN beside unsteady ones. */
double steady_gradient_s2pm(const struct steady_sweep *w, int i);
double steady_hand_gradient_s2pm(const struct steady_sweep *w, int i);
/* Mean of the first between two lateral accelerations. */
double steady_mean_gradient_s2pm(const struct steady_sweep *w, double low_mps2, double high_mps2);

/* Reports; each returns 0 or a negative errno. */
int steady_table(const struct steady_sweep *w, const char *car, FILE *to);
int steady_csv(const struct steady_sweep *w, FILE *to);
int steady_json(const struct steady_sweep *w, const char *car, FILE *to);
int steady_svg(const struct steady_sweep *w, const char *car, FILE *to);

#endif
