#include "shared/base/out_file.h"

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

static int complain(const char *path, int error, struct err *e)
{
    return err_set(e, -error, "%s: cannot be written: %s", path, strerror(error));
}

static int complain_busy(const char *path, struct err *e)
{
    return err_set(e, -EBUSY,
                   "%s: is being written by another process: wait until it has ended, or give "
                   "another name",
                   path);
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
            return complain_busy(f->path, e);
        }
        /* Another process may have kept its own between open() and flock(). */
        if (fstat(f->lock, &here) == 0 && stat(f->path, &there) == 0 &&
            here.st_dev == there.st_dev && here.st_ino == there.st_ino)
            return 0;
        (void)close(f->lock);
    }
    f->lock = -1;
    f->made = false;
    return complain_busy(f->path, e);
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

static int open_regular(struct out_file *f, struct err *e)
{
    int bad = lock_old(f, e);
    if (bad)
        return bad;
    f->part = malloc(strlen(f->path) + sizeof ending);
    if (!f->part) {
        if (f->made)
            (void)unlink(f->path);
        f->made = false;
        return complain(f->path, ENOMEM, e);
    }
    (void)stpcpy(stpcpy(f->part, f->path), ending);
    /* Whoever has the lock owns this name; one of a process that was killed is overwritten. */
    f->fd = open(f->part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (f->fd < 0)
        return complain(f->part, errno, e);
    (void)flock(f->fd, LOCK_EX | LOCK_NB);
    take_rights(f);
    return 0;
}

int out_file_open(struct out_file *f, const char *path, struct err *e)
{
    struct stat st;
    *f = (struct out_file){.fd = -1, .lock = -1};
    bool special = strncmp(path, "/dev/", 5) == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
    f->path = special ? NULL : realpath(path, NULL);
    f->path = f->path ? f->path : strdup(path);
    int bad = 0;
    if (!f->path) {
        bad = complain(path, ENOMEM, e);
    } else if (special) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC);
        bad = f->fd < 0 ? complain(path, errno, e) : 0;
    } else {
        bad = open_regular(f, e);
    }
    if (bad)
        out_file_drop(f);
    return bad;
}

FILE *out_file_stream(struct out_file *f)
{
    if (!f->stream)
        f->stream = fdopen(f->fd, "w");
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
    if (rename(f->part, f->path))
        return complain(f->path, errno, e);
    unlock(f);
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

/* What the stream could not write shows in one of these. */
static int flush(struct out_file *f)
{
    errno = 0;
    if (!f->stream || (fflush(f->stream) == 0 && !ferror(f->stream)))
        return 0;
    return errno ? errno : EIO;
}

static int close_descriptor(struct out_file *f)
{
    int rc = f->fd < 0 ? 0 : f->stream ? fclose(f->stream) : close(f->fd);
    f->stream = NULL;
    f->fd = -1;
    return rc ? errno : 0;
}

/* Whether what was written still has a name: somebody may have removed or replaced it. */
static bool is_there(const struct out_file *f)
{
    struct stat written;
    return fstat(f->fd, &written) != 0 || written.st_nlink > 0;
}

int out_file_close(struct out_file *f, struct err *e)
{
    if (!f->path)
        return 0;
    int error = flush(f);
    int bad = error ? complain(f->path, error, e) : out_file_keep(f, e);
    if (!bad && !is_there(f))
        bad =
            err_set(e, -ENOENT, "%s: was removed or replaced while it was being written", f->path);
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
    if (f->part)
        (void)unlink(f->part);
    if (f->part && f->made)
        (void)unlink(f->path);
    unlock(f);
    free(f->path);
    *f = (struct out_file){.fd = -1, .lock = -1};
}
