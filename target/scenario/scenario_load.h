/* A scenario file: which car, where it starts, on what road, with which inputs, for how long. */
#ifndef SKIDPAD_SCENARIO_SCENARIO_LOAD_H
#define SKIDPAD_SCENARIO_SCENARIO_LOAD_H

#include "shared/config/config.h"
#include "target/driver/straight.h"
#include "target/model/plant.h"
#include "target/road/crg.h"
#include "target/road/plane.h"
#include "target/road/segments.h"
#include "target/scenario/fault.h"
#include "target/scenario/manoeuvre.h"
#include "target/scenario/object.h"
#include "target/scenario/parameters.h"
#include "target/scenario/script.h"
#include "target/scenario/verdict.h"
#include "target/scenario/wind.h"

enum { SCENARIO_NAME = 80, SCENARIO_PATH = 1024, SCENARIO_SIGNALS = 512 };

/* Which control unit drives along in `skidpad test`. */
enum scenario_unit_kind { UNIT_NOT_SAID, UNIT_NONE, UNIT_OF_CAR, UNIT_FILE };
struct scenario_unit {
    int kind;
    char params[SCENARIO_PATH], bus[SCENARIO_PATH]; /* of UNIT_FILE */
};

struct scenario {
    char name[SCENARIO_NAME];
    char vehicle[SCENARIO_PATH];
    double duration_s, step_s;
    int integrator; /* -1: as the vehicle says */
    struct plant_start start;
    struct plane road;         /* unless one of these is there */
    struct segments *segments; /* owned */
    struct crg *crg;           /* owned */
    struct wind_model wind;
    struct object_model object; /* ahead of the car, if present */
    struct script script;
    struct straight_model straight;
    struct manoeuvre manoeuvre;
    bool person_drives;      /* from the beginning, at the host */
    bool person_may_not;     /* take over */
    struct verdict *verdict; /* owned; NULL: nothing to judge */
    struct scenario_unit unit;
    struct fault_set faults;
    struct parameters parameters;
    struct series_plan plan; /* the drives of `skidpad test` */
    double output_hz;
    int signals;                  /* how many are chosen; 0: all */
    int signal[SCENARIO_SIGNALS]; /* indices of signal_table */
};

/* Reads and checks. Returns 0 or a negative errno. *doc holds the messages and is closed by the
 * caller (NULL if memory ran out). *out is freed with scenario_free(); NULL on failure. */
int scenario_load(const char *path, struct scenario **out, struct cfg_doc **doc);
/* What the car drives on; sc must outlive it. */
struct ground scenario_ground(const struct scenario *sc);
/* Whether that is a plane: there are models that drive on nothing else. */
bool scenario_is_plane(const struct scenario *sc);

/* The same with names set from outside (NULL: none) and another car (NULL: the file's). */
struct scenario_given {
    const struct parameters *parameters;
    const char *vehicle;
    const struct cfg_change *change; /* values in place of the file's */
    size_t changes;
};
int scenario_load_given(const char *path, const struct scenario_given *given, struct scenario **out,
                        struct cfg_doc **doc);
/* The same from a text; name stands for the path in messages and relative references. */
int scenario_load_text(const char *name, const char *text, size_t length,
                       const struct scenario_given *given, struct scenario **out,
                       struct cfg_doc **doc);

/* The key `unit` of a scenario or suite. */
void scenario_unit_load(const struct cfg_node *map, struct scenario_unit *unit);

void scenario_free(struct scenario *s);

#endif
