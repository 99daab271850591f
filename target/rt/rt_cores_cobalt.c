/* The cores of the programs for Xenomai 3. */
#include "target/rt/rt.h"

#include <stddef.h>

const struct rt_ops *const rt_cores[] = {&rt_cobalt, &rt_virtual, NULL};
