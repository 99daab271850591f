/* The two sides of the demo bus, from config/can, with the slots that each binds. */
#ifndef SKIDPAD_TEST_BUS_DEMO_H
#define SKIDPAD_TEST_BUS_DEMO_H

#include "shared/can/bus_load.h"

enum { BUS_DEMO_SLOTS = 512 };

/* Slots by the signals of shared/wire/signals.def (bench), or of the stand-in unit. */
size_t bus_demo_slots(enum bus_role role, bool sinks, struct bus_slot slots[BUS_DEMO_SLOTS]);
/* Index of a name; stops the program if there is none. */
int bus_demo_slot(enum bus_role role, bool sinks, const char *name);

/* Loads a description (the text of one item of `can`) as if it stood in config/can. *doc gets the
 * messages and is closed by the caller; returns NULL if there are any. */
struct bus *bus_demo_text(const char *text, enum bus_role role, int64_t tick_ns,
                          struct cfg_doc **doc);

/* The demo bus itself. Prints the messages and stops the program on failure. */
struct bus *bus_demo(enum bus_role role, int64_t tick_ns);

#endif
