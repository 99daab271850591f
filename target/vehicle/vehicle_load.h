/* A vehicle file: the car and its sensors. */
#ifndef SKIDPAD_VEHICLE_VEHICLE_LOAD_H
#define SKIDPAD_VEHICLE_VEHICLE_LOAD_H

#include "target/vehicle/vehicle.h"

enum { VEHICLE_AS_FILE = MODEL_AS_FILE };

/* What a caller may set in place of the file. */
struct vehicle_options {
    double step_s;  /* of the plant: sensors' delays and forward Euler's substeps depend on it */
    int integrator; /* enum model_integrator, or VEHICLE_AS_FILE */
    const struct setup *setup;       /* NULL: as the file says */
    const struct cfg_change *change; /* values in place of the file's */
    size_t changes;
};

/* Reads and checks a vehicle file. Returns 0 or a negative errno. *doc holds the messages in both
 * cases and is closed by the caller (unless memory ran out: NULL). *out is malloc'ed, NULL on
 * failure. */
int vehicle_load(const char *path, const struct vehicle_options *options, struct vehicle **out,
                 struct cfg_doc **doc);
/* The same for a text; path stands for its name and for the folder of the files that it names. */
int vehicle_load_text(const char *path, const char *text, size_t length,
                      const struct vehicle_options *options, struct vehicle **out,
                      struct cfg_doc **doc);

#endif
