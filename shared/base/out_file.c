#include "shared/base/out_file.h"

#include "shared/base/used_files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".part";

/* No write to a file, pipe or terminal fails with these. */
enum { CUT = ENODATA, GROWN = ENOTUNIQ };

const char *out_file_why(int error)
{
    switch (-error) {
    case ENOENT:
        return "it was removed, renamed or replaced while it was being written";
    case CUT:
        return "it was truncated while it was being written";
    case GROWN:
        return "somebody else wrote into it while it was being written";
    default:
        return strerror(-error);
    }
}

static int complain(const char *path, int error, struct err *e)
{
    if (error == CUT || error == GROWN)
        return err_set(e, -error, "%s: %s", path, out_file_why(-error));
    return err_set(e, -error, "%s: cannot be written: %s", path, strerror(error));
}

static int complain_busy(const char *path, struct err *e)
{
    return err_set(e, -EBUSY,
                   "%s: is being written by another process: wait until it has ended, or give "
                   "another name",
                   path);
}

/* The file at the path is one that this command reads, or writes as another output. */
static int check_use(const struct out_file *f, struct err *e)
{
    if (used_files_has(f->lock, USED_AS_OUTPUT))
        return err_set(e, -EINVAL,
                       "%s: is an output of this command already, and cannot be a second one: give "
                       "each output a name of its own",
                       f->path);
    if (used_files_has(f->lock, USED_AS_INPUT))
        return err_set(e, -EINVAL,
                       "%s: is an input of this command, and cannot be its output, too: give the "
                       "output another name",
                       f->path);
    return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The file at the path, locked: made if there is none. */
static int lock_old(struct out_file *f, struct err *e)
{
    enum { tries = 100 };
    for (int i = 0; i < tries; i++) {
        struct stat here, there;
        f->lock = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        f->made = f->lock >= 0;
        if (f->lock < 0 && errno == EEXIST) {
            f->lock = open(f->path, O_WRONLY | O_CLOEXEC);
            if (f->lock < 0 && errno == ENOENT)
                continue; /* it went away */
        }
        if (f->lock < 0)
            return complain(f->path, errno, e);
        if (flock(f->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
            f->made = false;
            int bad = check_use(f, e); /* it may be locked by ourselves */
            return bad ? bad : complain_busy(f->path, e);
        }
        /* Another process may have kept its own between open() and flock(). */
        if (fstat(f->lock, &here) == 0 && stat(f->path, &there) == 0 && is_same(&here, &there))
            return 0;
        (void)close(f->lock);
    }
    f->lock = -1;
    f->made = false;
    return complain_busy(f->path, e);
}

/* There is none, or it is not ours: out_file_drop() shall leave it alone. */
static void forget_part(struct out_file *f)
{
    if (f->made)
        (void)unlink(f->path);
    f->made = false;
    free(f->part);
    f->part = NULL;
}

/* Rights and owner as the old one has them; who may not give files away keeps them. */
static void take_rights(const struct out_file *f)
{
    struct stat old, own;
    if (f->made || fstat(f->lock, &old) || fstat(f->fd, &own))
        return;
    if (old.st_uid != own.st_uid || old.st_gid != own.st_gid)
        (void)!fchown(f->fd, old.st_uid, old.st_gid);
    (void)fchmod(f->fd, old.st_mode & 0777);
}

/* Whoever has the lock owns this name. One that a killed process has left is removed, not
 * overwritten: it may be a second name of another file. */
static int open_part(struct out_file *f, struct err *e)
{
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC;
    struct stat st;
    f->fd = open(f->part, flags, 0644);
    if (f->fd < 0 && errno == EEXIST && lstat(f->part, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            (void)err_set(e, -EINVAL, "%s: is in the way of a file: remove it", f->part);
            forget_part(f);
            return -EINVAL;
        }
        f->fd = unlink(f->part) ? -1 : open(f->part, flags, 0644);
    }
    return f->fd < 0 ? complain(f->part, errno, e) : 0;
}

static int open_regular(struct out_file *f, struct err *e)
{
    int bad = lock_old(f, e);
    if (!bad && !f->made)
        bad = check_use(f, e);
    if (bad)
        return bad;
    f->part = malloc(strlen(f->path) + sizeof ending);
    if (!f->part) {
        forget_part(f);
        return complain(f->path, ENOMEM, e);
    }
    (void)stpcpy(stpcpy(f->part, f->path), ending);
    bad = open_part(f, e);
    if (bad)
        return bad;
    used_files_note(f->lock, f->path, USED_AS_OUTPUT);
    (void)flock(f->fd, LOCK_EX | LOCK_NB);
    take_rights(f);
    return 0;
}

/* What is written in place, as nothing can be renamed onto it. The links to descriptors may lead to
 * regular files, too. */
static bool is_special(const char *path)
{
    struct stat st;
    if (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0)
        return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Why it is no place for an output; NULL: it is one. */
static const char *misfit(const char *path)
{
    struct stat st;
    if (stat(path, &st)) {
        if (errno == ENOENT && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
            return "is a link to a file that does not exist: remove it, or give another name";
        return NULL; /* open() will tell */
    }
    if (S_ISDIR(st.st_mode))
        return "is a folder: give the name of a file in it";
    if (S_ISSOCK(st.st_mode))
        return "is a socket: give the name of a file";
    if (S_ISBLK(st.st_mode))
        return "is a disk: give the name of a file on it";
    return NULL;
}

/* Opening a pipe would wait for its reader, writing into it may: only the first is refused. */
static int open_special(struct out_file *f, struct err *e)
{
    f->special = true;
    f->fd = open(f->path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (f->fd < 0 && errno == ENXIO)
        return err_set(e, -ENXIO,
                       "%s: is a pipe that nobody reads: start its reader first, or give the name "
                       "of a file",
                       f->path);
    int flags = f->fd < 0 ? -1 : fcntl(f->fd, F_GETFL);
    if (flags < 0 || fcntl(f->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
        return complain(f->path, errno, e);
    return 0;
}

int out_file_open(struct out_file *f, const char *path, struct err *e)
{
    *f = (struct out_file){.fd = -1, .lock = -1};
    bool special = is_special(path);
    f->path = special ? NULL : realpath(path, NULL);
    f->path = f->path ? f->path : strdup(path);
    int bad = 0;
    const char *why = misfit(path);
    if (!f->path)
        bad = complain(path, ENOMEM, e);
    else if (why)
        bad = err_set(e, -EINVAL, "%s: %s", path, why);
    else
        bad = special ? open_special(f, e) : open_regular(f, e);
    if (bad)
        out_file_drop(f);
    return bad;
}

/* ---- writing */

int out_file_harm(const struct out_file *f)
{
    struct stat st;
    if (f->special || f->fd < 0 || fstat(f->fd, &st) || !S_ISREG(st.st_mode))
        return 0;
    const uint64_t size = (uint64_t)st.st_size;
    return size < f->written ? -CUT : size > f->written ? -GROWN : 0;
}

int out_file_count(struct out_file *f)
{
    struct stat st;
    if (fstat(f->fd, &st))
        return -errno;
    f->written = (uint64_t)st.st_size;
    return 0;
}

int out_file_write(struct out_file *f, const void *bytes, size_t count, size_t *done)
{
    *done = 0;
    int bad = out_file_harm(f);
    if (bad)
        return bad; /* what would follow does not belong there */
    while (*done < count) {
        ssize_t n = write(f->fd, (const char *)bytes + *done, count - *done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        *done += (size_t)n;
        f->written += (size_t)n;
    }
    return 0;
}

int out_file_shorten(struct out_file *f, uint64_t bytes)
{
    if (ftruncate(f->fd, (off_t)bytes))
        return -errno;
    f->written = f->written < bytes ? f->written : bytes;
    return 0;
}

int out_file_end_append(const struct out_file *f)
{
    int flags = fcntl(f->fd, F_GETFL);
    return flags < 0 || fcntl(f->fd, F_SETFL, flags & ~O_APPEND) < 0 ? -errno : 0;
}

/* Of a stream: what it could not write it says with errno. */
static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    struct out_file *f = cookie;
    size_t done = 0;
    int bad = out_file_write(f, bytes, count, &done);
    if (bad)
        errno = -bad;
    f->error = f->error ? f->error : bad;
    return (ssize_t)done;
}

FILE *out_file_stream(struct out_file *f)
{
    if (!f->stream)
        f->stream = fopencookie(f, "w", (cookie_io_functions_t){.write = put});
    return f->stream;
}

int out_file_open_stream(struct out_file *f, const char *path, struct err *e)
{
    int bad = out_file_open(f, path, e);
    if (!bad && !out_file_stream(f)) {
        out_file_drop(f);
        bad = complain(path, ENOMEM, e);
    }
    return bad;
}

int out_file_finish(struct out_file *f, int bad, struct err *e)
{
    if (!bad)
        return out_file_close(f, e);
    bad = complain(f->path, -bad, e);
    out_file_drop(f);
    return bad;
}

static void unlock(struct out_file *f)
{
    if (f->lock >= 0)
        (void)close(f->lock);
    f->lock = -1;
    free(f->part);
    f->part = NULL;
}

int out_file_keep(struct out_file *f, struct err *e)
{
    if (!f->part)
        return 0;
    used_files_forget(f->lock, USED_AS_OUTPUT);
    /* Inputs may have been opened since. */
    int bad = check_use(f, e);
    if (bad)
        return bad;
    if (rename(f->part, f->path))
        return complain(f->path, errno, e);
    used_files_note(f->fd, f->path, USED_AS_OUTPUT);
    unlock(f);
    return 0;
}

int out_file_rename(struct out_file *f, const char *path, struct err *e)
{
    char *copy = strdup(path);
    int error = copy ? 0 : ENOMEM;
    if (!error && rename(f->path, path))
        error = errno;
    if (error) {
        free(copy);
        return complain(path, error, e);
    }
    free(f->path);
    f->path = copy;
    used_files_note(f->fd, path, USED_AS_OUTPUT);
    return 0;
}

int out_file_sync_name(const struct out_file *f)
{
    char *copy = strdup(f->path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int error = fd < 0 || fsync(fd) ? errno : 0;
    if (fd >= 0)
        (void)close(fd);
    free(copy);
    return -error;
}

int out_file_flush(struct out_file *f)
{
    errno = 0;
    if (!f->stream || (fflush(f->stream) == 0 && !ferror(f->stream)))
        return f->error;
    return f->error ? f->error : errno ? -errno : -EIO;
}

static int close_descriptor(struct out_file *f)
{
    int error = f->stream && fclose(f->stream) ? errno : 0;
    if (f->fd >= 0 && close(f->fd) && !error)
        error = errno;
    f->stream = NULL;
    f->fd = -1;
    return error;
}

/* Whether what was written still has its name: somebody may have removed, renamed or replaced it,
 * or a folder above it. */
static bool is_there(const struct out_file *f)
{
    struct stat written, named;
    if (f->special || fstat(f->fd, &written))
        return true;
    return stat(f->path, &named) == 0 && is_same(&written, &named);
}

int out_file_close(struct out_file *f, struct err *e)
{
    if (!f->path)
        return 0;
    int error = -out_file_flush(f);
    if (!error)
        error = -out_file_harm(f);
    int bad = error ? complain(f->path, error, e) : out_file_keep(f, e);
    if (!bad && !is_there(f))
        bad = err_set(e, -ENOENT, "%s: %s", f->path, out_file_why(-ENOENT));
    if (!bad) {
        error = close_descriptor(f);
        bad = error ? complain(f->path, error, e) : 0;
    }
    out_file_drop(f);
    return bad;
}

void out_file_drop(struct out_file *f)
{
    if (!f->path)
        return;
    (void)close_descriptor(f);
    if (f->part) {
        used_files_forget(f->lock, USED_AS_OUTPUT);
        (void)unlink(f->part);
    }
    if (f->part && f->made)
        (void)unlink(f->path);
    unlock(f);
    free(f->path);
    *f = (struct out_file){.fd = -1, .lock = -1};
}
