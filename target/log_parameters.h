/* Parameters of a scenario as a text for the log, and back. */
#ifndef SKIDPAD_TARGET_LOG_PARAMETERS_H
#define SKIDPAD_TARGET_LOG_PARAMETERS_H

#include "target/scenario/parameters.h"

enum { LOG_PARAMETERS = 2048 };

void log_parameters_text(const struct parameters *p, char *text, size_t size);
void log_parameters_read(const char *text, struct parameters *p);

#endif
