#include "shared/base/file.h"

#include "shared/base/used_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* For the writer of a pipe that is to be read whole. */
enum { PATIENCE_MS = 10000 };

const char *file_why(int error)
{
    switch (-error) {
    case EISDIR:
        return "it is a folder: give the name of a file in it";
    case ENXIO:
        return "it is a socket: give the name of a file";
    case EPIPE:
        return "it is a pipe into which nobody writes: start the writer first, or give the name of "
               "a file";
    case ETIMEDOUT:
        return "it is a pipe into which nothing was written for 10 s: give the name of a file";
    default:
        return strerror(-error);
    }
}

/* From now on reading waits. Returns 0 or an errno. */
static int let_wait(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ? errno : 0;
}

/* Returns the descriptor or a negative errno. Without O_NONBLOCK the writer of a pipe would be
 * waited for here. Pipes stay so; a terminal may take its time. */
static int open_at_once(const char *path, bool *is_pipe)
{
    struct stat st = {0};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = fd < 0 || fstat(fd, &st) ? errno : 0;
    *is_pipe = S_ISFIFO(st.st_mode);
    if (!error && S_ISDIR(st.st_mode))
        error = EISDIR;
    if (!error && S_ISCHR(st.st_mode))
        error = let_wait(fd);
    if (!error) {
        used_files_note(fd, path, USED_AS_INPUT);
        return fd;
    }
    if (fd >= 0)
        (void)close(fd);
    return -error;
}

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

/* Until the writer of the pipe has written something, or has ended. */
static int await(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&p, 1, PATIENCE_MS);
    while (n < 0 && errno == EINTR);
    return n > 0 ? 0 : n < 0 ? -errno : -ETIMEDOUT;
}

/* The size is not asked for beforehand: pipes have none, and a file may grow meanwhile. */
static int read_all(int fd, bool is_pipe, size_t limit, char **text, size_t *length)
{
    size_t size = 0;
    for (;;) {
        if (*length + 1 >= size && !grow(text, &size, limit))
            return -ENOMEM;
        ssize_t got = read(fd, *text + *length, size - 1 - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN) {
            int bad = await(fd);
            if (bad)
                return bad;
            continue;
        }
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        *length += (size_t)got;
        if (*length > limit)
            return -EFBIG;
    }
    (*text)[*length] = '\0';
    return is_pipe && *length == 0 ? -EPIPE : 0;
}

int file_read_whole(const char *path, size_t limit, char **text, size_t *length)
{
    bool is_pipe;
    *text = NULL;
    *length = 0;
    int fd = open_at_once(path, &is_pipe);
    if (fd < 0)
        return fd;
    int rc = read_all(fd, is_pipe, limit, text, length);
    (void)close(fd); /* nothing was written, so nothing can be lost */
    if (rc) {
        free(*text);
        *text = NULL;
        *length = 0;
    }
    return rc;
}

/* Whether somebody writes into the pipe shows when it is read: the first byte, which is put back.
 */
static int stream_of_pipe(int fd, FILE *stream)
{
    unsigned char first;
    ssize_t got = read(fd, &first, 1);
    if (got == 0)
        return -EPIPE;
    if (got < 0 && errno != EAGAIN)
        return -errno;
    int error = let_wait(fd);
    if (!error && got > 0 && ungetc(first, stream) == EOF)
        error = EIO;
    return -error;
}

int file_open_stream(const char *path, FILE **stream)
{
    bool is_pipe;
    *stream = NULL;
    int fd = open_at_once(path, &is_pipe);
    if (fd < 0)
        return fd;
    FILE *f = fdopen(fd, "r");
    if (!f) {
        int error = errno;
        (void)close(fd);
        return -error;
    }
    int bad = is_pipe ? stream_of_pipe(fd, f) : 0;
    if (bad)
        (void)fclose(f);
    else
        *stream = f;
    return bad;
}
