#ifndef SKIDPAD_SHIM_XENOMAI_INIT_H
#define SKIDPAD_SHIM_XENOMAI_INIT_H

void xenomai_init(int *argc, char *const **argv);

#endif
