#include_next <unistd.h>
#ifndef SKIDPAD_SHIM_UNISTD_H
#define SKIDPAD_SHIM_UNISTD_H

#include <shim_cobalt.h>

int __cobalt_close(int fd);

#endif
