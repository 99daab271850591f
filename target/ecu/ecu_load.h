/* A unit's parameter file, docs/ecu.md. */
#ifndef SKIDPAD_ECU_ECU_LOAD_H
#define SKIDPAD_ECU_ECU_LOAD_H

#include "shared/config/config.h"
#include "target/ecu/ecu.h"

enum { ECU_NAME = 80 };

/* Reads and checks. Returns 0 or a negative errno. *doc holds the messages in both cases and is
 * closed by the caller (NULL if memory ran out). name may be NULL. */
int ecu_load(const char *path, struct ecu_params *p, char name[ECU_NAME], struct cfg_doc **doc);
/* The same for text in memory. */
int ecu_load_text(const char *file, const char *text, size_t length, struct ecu_params *p,
                  char name[ECU_NAME], struct cfg_doc **doc);

#endif
