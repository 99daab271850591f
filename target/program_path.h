/* Where the programs of skidpad lie: in the folder that the front command names in
 * SKIDPAD_PROGRAMS, else beside this one. */
#ifndef SKIDPAD_TARGET_PROGRAM_PATH_H
#define SKIDPAD_TARGET_PROGRAM_PATH_H

#include <stddef.h>

/* The path of skidpad-NAME. Returns 0, or a negative errno if it is not there to be run; the path
 * is that of the last folder that was tried. */
int program_path(const char *name, char *path, size_t size);

#endif
