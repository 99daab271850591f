/* The cores of the ordinary programs. */
#include "target/rt/rt.h"

#include <stddef.h>

const struct rt_ops *const rt_cores[] = {&rt_posix, &rt_virtual, NULL};
