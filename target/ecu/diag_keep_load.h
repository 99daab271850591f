/* What the unit keeps while it has no power, in a YAML file. Set-up and shut-down only. */
#ifndef SKIDPAD_ECU_DIAG_KEEP_LOAD_H
#define SKIDPAD_ECU_DIAG_KEEP_LOAD_H

#include "target/ecu/diag.h"

#include <stdio.h>

/* A file that is not there yet is as new. Returns 0 or a negative errno after complaints. */
int diag_keep_load(const char *path, struct diag_kept *k, FILE *complaints);
/* Writes all or nothing: the file before stays until the new one is complete. */
int diag_keep_save(const char *path, const struct diag_kept *k);

#endif
