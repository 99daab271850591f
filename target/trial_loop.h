/* A drive on the simulated clock, with or without a unit on the bus: the same loop and the same
 * frames as `skidpad run --rt virtual`, its records kept in memory. */
#ifndef SKIDPAD_TARGET_TRIAL_LOOP_H
#define SKIDPAD_TARGET_TRIAL_LOOP_H

#include "target/can_link.h"
#include "target/drive_record.h"

#include <stdio.h>

/* How control units are made; the program knows which there are. */
struct trial_units {
    /* params, bus: its files. Complaints go to the stream. Returns 0 or a negative errno. */
    int (*open)(const char *params, const char *bus, FILE *complaints, struct can_unit *unit);
    void (*close)(struct can_unit *unit);
};

/* Trouble codes of the unit, cleared before the drive and read after it. */
enum { TRIAL_CODES = 16 };
struct trial_codes {
    uint32_t verdict; /* enum diagnosis_verdict; without a unit: pass */
    int count;        /* at most TRIAL_CODES */
    uint32_t code[TRIAL_CODES];
};

/* Files of the unit that drives along; empty params: none. */
struct trial_unit_files {
    char params[1024], bus[1024];
};

struct trial_safe {
    uint32_t cause; /* of the safe state, enum loop_cause; 0: none */
    double time_s;  /* when it was entered */
};

void trial_codes_take(const struct diagnosis *d, struct trial_codes *codes);

/* Drives to the end. Returns 0, 2 after messages on stderr (bad input), 3 if the model's state
 * became not finite. With faults in the scenario the codes are not judged. */
int trial_loop(struct offline *car, const struct trial_units *units,
               const struct trial_unit_files *files, struct drive_record *record,
               struct trial_safe *safe, struct trial_codes *codes);

#endif
