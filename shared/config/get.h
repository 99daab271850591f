/* Numbers of single nodes, for the getters of shared/config only. */
#ifndef SKIDPAD_CONFIG_GET_H
#define SKIDPAD_CONFIG_GET_H

#include "shared/config/node.h"

/* The number of a scalar; false with a message if it is not one or not in the range. */
bool cfg_get_number(const struct cfg_node *node, struct cfg_range range, double *value);

/* False with a message if the node is a mapping, a list or without value; what is wanted stands in
 * the message behind "must be". */
bool cfg_check_scalar(const struct cfg_node *node, const char *wanted);

#endif
