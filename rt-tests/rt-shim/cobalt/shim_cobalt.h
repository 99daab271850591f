/* Just the calls of libcobalt that skidpad uses, on shim_mode.h; names and meanings as there. */
#ifndef SKIDPAD_SHIM_COBALT_H
#define SKIDPAD_SHIM_COBALT_H

#include <stdint.h>
#include <sys/types.h>

#define __RT(call) __cobalt_##call

#endif
