/* The section `watchdog:` of a bench file, docs/watchdog.md. Set-up only. */
#ifndef SKIDPAD_TARGET_WATCHDOG_LOAD_H
#define SKIDPAD_TARGET_WATCHDOG_LOAD_H

#include "shared/config/config.h"
#include "target/can_link.h"
#include "target/rt/rt_thread.h"

/* Returns NULL if there is no such section, or on failure: complaints go into the document. The
 * buses, the loop's period and its thread are those of the bench. free() frees it. */
struct watchdog_plan *watchdog_load(const struct cfg_node *root, const struct can_link *link,
                                    int64_t period_ns, const struct rt_settings *rt);

#endif
