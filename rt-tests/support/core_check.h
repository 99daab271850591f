/* What both cores must do alike, on the stand-in: one list of tests for two programs. */
#ifndef SKIDPAD_CORE_CHECK_H
#define SKIDPAD_CORE_CHECK_H

#include "target/rt/rt.h"

/* Runs the tests of a core. name: of the group, as cmocka shows it. Returns the failures. */
int core_check(const char *name, const struct rt_ops *ops);

#endif
