#include "shared/base/folders.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void folders_make(const char *path)
{
    char folder[1100];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return; /* not one by a name that is cut; opening the file says what is missing */
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0777);
        *slash = '/';
    }
}
