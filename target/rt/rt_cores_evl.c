/* The cores of the programs for Xenomai 4. */
#include "target/rt/rt.h"

#include <stddef.h>

const struct rt_ops *const rt_cores[] = {&rt_evl, &rt_virtual, NULL};
