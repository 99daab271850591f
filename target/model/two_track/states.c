/* The states of two_track by name. What the last step saw, for outputs, is none of them, nor the
 * time, which follows from the steps made. */
#include "target/model/state_info.h"
#include "target/model/two_track/two_track.h"

#define CAR struct two_track_state

/* The motion, in the order of memory: two_track_motion(). */
#define MOTION                                                                                     \
    STATE(CAR, pos_m, f64, AXES, PLACE, "m", 1.0),                                                 \
        STATE(CAR, heading, f64, NUMBERED, PLACE, "1", 0.1),                                       \
        STATE(CAR, vel_mps, f64, AXES, SPEED, "m/s", 1.0),                                         \
        STATE(CAR, yaw_radps, f64, ONE, SPEED, "rad/s", 0.1),                                      \
        STATE(CAR, rack_m, f64, ONE, LAG, "m", 0.01),                                              \
        STATE(CAR, spin_radps, f64, WHEELS, SPEED, "rad/s", 1.0),                                  \
        STATE(CAR, slip_x_m, f64, WHEELS, LAG, "m", 1e-3),                                         \
        STATE(CAR, slip_y_m, f64, WHEELS, LAG, "m", 1e-3),                                         \
        STATE(CAR, angle_rad, f64, WHEELS, PLACE, "rad", 1.0),                                     \
        STATE(CAR, hand_rad, f64, ONE, PLACE, "rad", 0.1),                                         \
        STATE(CAR, hand_radps, f64, ONE, SPEED, "rad/s", 1.0),                                     \
        STATE(CAR, pressure_Pa, f64, WHEELS, LAG, "Pa", 1e6)

#define REST                                                                                       \
    STATE(CAR, friction_Nm, f64, NUMBERED, MEMORY, "Nm", 100.0),                                   \
        STATE(CAR, carry, f64, NUMBERED, MEMORY, "N", 100.0),                                      \
        STATE(CAR, ticks, u64, ONE, MEMORY, "1", 1.0),                                             \
        STATE(CAR, locked, u32, ONE, MEMORY, "1", 1.0),                                            \
        STATE(CAR, airborne, u32, ONE, MEMORY, "1", 1.0),                                          \
        STATE(CAR, fault, u32, ONE, MEMORY, "1", 1.0)

static const struct state_info plain[] = {MOTION, DRIVELINE_STATES(CAR, driveline), REST};
static const struct state_info hydraulic[] = {MOTION, DRIVELINE_STATES(CAR, driveline),
                                              HYDRAULICS_STATES(CAR, hydraulics), REST};
static const struct state_table plain_table = {plain, sizeof plain / sizeof plain[0]};
static const struct state_table hydraulic_table = {hydraulic,
                                                   sizeof hydraulic / sizeof hydraulic[0]};

const struct state_table *two_track_states(const void *model)
{
    const struct two_track_model *m = model;
    return m->hydraulics.on ? &hydraulic_table : &plain_table;
}
