/* Wheel speeds from tooth edges: count and time of the last edge, as received from the bus.
 *
 * Counter and clock are modulo values of the sender. Between two frames with new edges the speed is
 * the way of those edges over the time between the two last of them: exact at any speed, however
 * few edges a cycle has. Without a new edge the speed cannot be more than one pitch over the time
 * waited. */
#ifndef SKIDPAD_ECU_WHEEL_SPEED_H
#define SKIDPAD_ECU_WHEEL_SPEED_H

#include "target/ecu/car.h"

struct wheel_speed_params {
    double edge_modulus;    /* edges are counted modulo this */
    double time_modulus_us; /* and their clock runs modulo this */
    double standstill_s;    /* without an edge for so long the wheel stands */
    double filter_s;        /* time constant of the acceleration */
    double jump_mps2;       /* no wheel speeds up faster: a pulse was lost or added */
};

struct wheel_speed {
    double speed_mps;  /* never negative: the sensor does not know the direction */
    double accel_mps2; /* filtered */
    double edges;      /* as received last */
    double edge_us;
    double span_s;     /* between the edges that made the speed */
    double edge_mps;   /* speed at the last edge */
    int64_t edge_ns;   /* arrival of the frame that brought the last new edge */
    uint32_t frames;   /* source counter of the last frame used */
    uint32_t started;  /* 1: edges and edge_us hold a frame */
    uint32_t moving;   /* 1: the last edge is recent enough to measure from */
    uint32_t jumps;    /* impossible speed-ups so far; wraps */
    uint32_t held;     /* cycles in a row in which such a sample was replaced */
    uint32_t vanished; /* 1: the edges ended at a speed from which no wheel stops so soon */
};

/* One cycle of one wheel. Cycles without a new frame change nothing. */
void wheel_speed_step(const struct wheel_speed_params *p, double pitch_m,
                      const struct ecu_source *source, double edges, double edge_us,
                      struct wheel_speed *w);

/* Way of the wheel from one edge to the next. */
double wheel_pitch_m(const struct car_params *car, int wheel);

#endif
