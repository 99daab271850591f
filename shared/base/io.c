#include "shared/base/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t io_read(int fd, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = read(fd, (char *)to + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

int io_write(int fd, const void *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = write(fd, (const char *)from + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}
