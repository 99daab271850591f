/* The preview driver of Dempsey, Fish and Delgado Beltran: docs/driver.md (D-12) to (D-16).
 *
 * It looks at three points of the path ahead: the near one gives the speed to hold, the middle one
 * the direction to steer to, the far one says early that it is time to brake or to drive on. Arms
 * and feet are filters with limited rates. Unlike the position driver it knows no tyre forces and
 * no friction: place, direction, speed and yaw rate are all that it sees. */
#ifndef SKIDPAD_DRIVER_PREVIEW_H
#define SKIDPAD_DRIVER_PREVIEW_H

#include "target/driver/shift.h"
#include "target/model/car_facts.h"
#include "target/road/path.h"

#include <assert.h>

enum preview_style { PREVIEW_AGGRESSIVE, PREVIEW_RELAXED };
enum { PREVIEW_NEAR, PREVIEW_MIDDLE, PREVIEW_FAR, PREVIEW_POINTS };

/* What a file may set. */
struct preview_settings {
    double middle_s;         /* distance of the middle point per speed */
    double least_m, most_m;  /* and its limits */
    double per_offset;       /* farther by this for every metre beside the path */
    double per_curvature_m2; /* nearer by this for every 1/m of curvature */
    double per_yaw_rate_ms;  /* nearer by this for every rad/s of yaw rate */
    double distance_mps;     /* the distance changes no faster */
    double yaw_feedback;     /* share of a missing yaw rate that is steered on top */
    double near_s, far_s;    /* distance of the other points per speed */
    double speed_1ps;        /* proportional: acceleration per missing speed */
    double speed_1ps2;       /* integral */
    double mode_mps2;        /* the far point asks for more than that: drive or brake */
    double mode_gain;        /* share of what it asks for that is given at once */
    double drive_mps2;       /* acceleration for which the throttle is fully open */
    double brake_mps2;       /* brakes no harder */
    double hand_lag_s;       /* arms */
    double hand_wheel_radps; /* no faster */
    double pedal_lag_s;      /* feet */
    double pedal_1ps;        /* full pedals a second */
    int32_t average;         /* 1: steers to the mean of all three points */
    int32_t gear;            /* keeps this one; 0: shifts */
};

/* Const once preview_init() has run. */
struct preview_model {
    struct preview_settings set;
    const struct path *path;
    const struct car_facts *car;
    double base_m;          /* wheelbase */
    double understeer_s2pm; /* steering angle per lateral acceleration, from the tyres at rest */
    double brake_per_mps2;  /* pedal per deceleration */
};

struct preview_state {
    double along_m;         /* arc length of the foot, laps counted */
    double offset_m;        /* to the left of the path */
    double distance_m;      /* of the middle point */
    double integral_mps2;   /* of the speed control */
    double hand_rad;        /* arms */
    double throttle, brake; /* feet */
    struct shift_state shift;
    int32_t piece[PREVIEW_POINTS], car_piece;
    int32_t mode; /* 1: drive, -1: brake, 0: whatever the near point says */
    int32_t is_started;
};
static_assert(sizeof(struct preview_state) == 9 * 8 + 6 * 4, "padding");

void preview_defaults(struct preview_settings *s, enum preview_style style);
/* car and path must outlive it. */
void preview_init(struct preview_model *m, const struct preview_settings *set,
                  const struct car_facts *car, const struct path *path);
void preview_reset(struct preview_state *s);

/* Hand wheel, pedals, clutch and gear of the next step from what the car does now. */
void preview_step(const struct preview_model *m, struct preview_state *s,
                  const struct plant_out *now, double dt_s, struct plant_in *in);

#endif
