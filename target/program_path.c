#include "target/program_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int in_folder(const char *folder, const char *name, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/skidpad-%s", folder, name);
    if (length < 0 || (size_t)length >= size)
        return -ENAMETOOLONG;
    return access(path, X_OK) ? -errno : 0;
}

int program_path(const char *name, char *path, size_t size)
{
    char own[4096];
    const char *folder = getenv("SKIDPAD_PROGRAMS");
    if (folder && in_folder(folder, name, path, size) == 0)
        return 0;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return -errno;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    return in_folder(own, name, path, size);
}
