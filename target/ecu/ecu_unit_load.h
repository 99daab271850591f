/* Makes the stand-in unit from its parameter file and the description of its bus. */
#ifndef SKIDPAD_ECU_ECU_UNIT_LOAD_H
#define SKIDPAD_ECU_ECU_UNIT_LOAD_H

#include "shared/config/config.h"
#include "target/ecu/ecu_unit.h"

#include <stdio.h>

/* bus: the item of a bench file's list `can`. Complaints about it go into its document, those about
 * the parameters to the stream. Returns 0 or a negative errno; *out is NULL on failure. */
int ecu_unit_open(const char *params_path, const struct cfg_node *bus, FILE *complaints,
                  struct ecu_unit **out);
/* The same with a bus file (config/can) alone. */
int ecu_unit_open_file(const char *params_path, const char *bus_path, FILE *complaints,
                       struct ecu_unit **out);
void ecu_unit_close(struct ecu_unit *u);

#endif
