/* A manoeuvre: phases with their inputs or driver, and what is known of its course in every tick.
 * docs/scenario-file.md.
 *
 * The manoeuvre is const once loaded, the state plain data. Nothing here allocates. */
#ifndef SKIDPAD_SCENARIO_MANOEUVRE_H
#define SKIDPAD_SCENARIO_MANOEUVRE_H

#include "target/driver/driver.h"
#include "target/road/crg.h"
#include "target/road/path.h"
#include "target/road/segments.h"
#include "target/scenario/expr.h"
#include "target/scenario/script.h"

enum { MANOEUVRE_PHASES = 12, MANOEUVRE_CONES = 128, MANOEUVRE_NAME = 40 };

/* What is known of the course in every tick; signals of the same names. */
struct course {
    double phase_time_s, path_s_m, path_error_m, set_speed_mps, road_s_m, road_n_m;
    uint32_t cones_hit, off_road;
};

struct phase {
    char name[MANOEUVRE_NAME];
    struct script script; /* times count from the begin of the phase */
    bool driver_steers, driver_pedals;
    bool hold_hand_wheel, hold_pedals; /* as they were when the phase began */
    bool has_until;
    struct expr until; /* the next phase begins when this holds */
};

struct manoeuvre {
    int phases; /* 0: the scenario's inputs throughout */
    struct phase phase[MANOEUVRE_PHASES];
    bool has_driver;
    bool has_stop;
    struct driver_settings driver;
    struct path path;
    struct expr stop; /* the run ends when this holds */
    int cones;
    double cone_m[MANOEUVRE_CONES][2];
    double cone_radius_m;
};

struct manoeuvre_state {
    struct driver_state driver;
    double phase_begin_s;
    double held_rad, held_throttle, held_brake, held_clutch; /* what a phase holds */
    struct course now;
    uint32_t touched[MANOEUVRE_CONES / 32];
    int32_t phase;
    int32_t is_over; /* the stop condition has held, or the last phase has ended */
    int32_t path_piece, held_gear;
};

/* What a manoeuvre sees of the car and its surroundings. */
struct manoeuvre_view {
    const struct driver_model *driver; /* NULL: none */
    const struct segments *road;       /* NULL: none */
    const struct crg *surface;         /* NULL: none; without both it is a plane */
    const struct car_facts *car;
    const struct plant_out *now;
    struct signals *last; /* the record of the last tick; its course is filled in */
};

void manoeuvre_reset(const struct manoeuvre *m, struct manoeuvre_state *s);

/* The course now, and which phase it is; call once a tick, before the inputs are made. */
void manoeuvre_watch(const struct manoeuvre *m, struct manoeuvre_state *s,
                     const struct manoeuvre_view *v);

/* The signals of the course. */
void manoeuvre_fill(const struct manoeuvre_state *s, struct signals *record);

/* The inputs of the step from time_s to end_s; base is the script outside all phases. */
void manoeuvre_command(const struct manoeuvre *m, struct manoeuvre_state *s,
                       const struct manoeuvre_view *v, const struct script *base, double time_s,
                       double end_s, struct plant_in *in);

#endif
