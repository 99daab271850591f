/* A scenario file: which car, where it starts, on what road, with which inputs, for how long. */
#ifndef SKIDPAD_SCENARIO_SCENARIO_LOAD_H
#define SKIDPAD_SCENARIO_SCENARIO_LOAD_H

#include "shared/config/config.h"
#include "target/driver/straight.h"
#include "target/model/plant.h"
#include "target/road/plane.h"
#include "target/road/segments.h"
#include "target/scenario/manoeuvre.h"
#include "target/scenario/script.h"
#include "target/scenario/verdict.h"
#include "target/scenario/wind.h"

enum { SCENARIO_NAME = 80, SCENARIO_PATH = 1024, SCENARIO_SIGNALS = 256 };

struct scenario {
    char name[SCENARIO_NAME];
    char vehicle[SCENARIO_PATH];
    double duration_s, step_s;
    int integrator; /* -1: as the vehicle says */
    struct plant_start start;
    struct plane road;         /* unless segments are there */
    struct segments *segments; /* owned */
    struct wind_model wind;
    struct script script;
    struct straight_model straight;
    struct manoeuvre manoeuvre;
    struct verdict *verdict; /* owned; NULL: nothing to judge */
    double output_hz;
    int signals;                  /* how many are chosen; 0: all */
    int signal[SCENARIO_SIGNALS]; /* indices of signal_table */
};

/* Reads and checks. Returns 0 or a negative errno. *doc holds the messages and is closed by the
 * caller (NULL if memory ran out). *out is freed with scenario_free(); NULL on failure. */
int scenario_load(const char *path, struct scenario **out, struct cfg_doc **doc);
void scenario_free(struct scenario *s);

#endif
