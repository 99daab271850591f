#include "shared/config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* Doubles the buffer, but not beyond the limit, one byte to notice that there is more, and a NUL.
 */
static bool grow(char **text, size_t *size, size_t limit)
{
    size_t wanted = *size ? *size * 2 : 16384;
    if (wanted > limit + 2)
        wanted = limit + 2;
    char *larger = realloc(*text, wanted);
    if (!larger)
        return false;
    *text = larger;
    *size = wanted;
    return true;
}

/* The size is not asked for beforehand: pipes have none, and a file may grow meanwhile. */
static int read_all(int fd, size_t limit, char **text, size_t *length)
{
    size_t size = 0;
    for (;;) {
        if (*length + 1 >= size && !grow(text, &size, limit))
            return -ENOMEM;
        ssize_t got = read(fd, *text + *length, size - 1 - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        *length += (size_t)got;
        if (*length > limit)
            return -EFBIG;
    }
    (*text)[*length] = '\0';
    return 0;
}

int file_read_whole(const char *path, size_t limit, char **text, size_t *length)
{
    *text = NULL;
    *length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = read_all(fd, limit, text, length);
    (void)close(fd); /* nothing was written, so nothing can be lost */
    if (rc) {
        free(*text);
        *text = NULL;
        *length = 0;
    }
    return rc;
}
