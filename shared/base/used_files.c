#include "shared/base/used_files.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A host that records for months keeps the last ones; commands use far fewer. */
enum { FILES_MAX = 1024 };

struct used_file {
    dev_t device;
    ino_t inode;
    enum used_as as;
    char *path; /* NULL: free */
};

/* Of the process, as its open files are. */
static struct {
    pthread_mutex_t lock;
    bool begun;
    struct used_file file[FILES_MAX];
    unsigned next; /* the place of the next one; the oldest gives way */
} used = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_at(const struct used_file *u, const struct stat *st, enum used_as as)
{
    return u->path && u->as == as && u->device == st->st_dev && u->inode == st->st_ino;
}

/* Whether the path still leads to that file. */
static bool is_current(const struct used_file *u)
{
    struct stat now;
    return stat(u->path, &now) == 0 && u->device == now.st_dev && u->inode == now.st_ino;
}

static struct used_file *find(const struct stat *st, enum used_as as)
{
    for (int i = 0; i < FILES_MAX; i++)
        if (is_at(&used.file[i], st, as) && is_current(&used.file[i]))
            return &used.file[i];
    return NULL;
}

void used_files_begin(void)
{
    (void)pthread_mutex_lock(&used.lock);
    used.begun = true;
    (void)pthread_mutex_unlock(&used.lock);
}

void used_files_note(int fd, const char *path, enum used_as as)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return;
    (void)pthread_mutex_lock(&used.lock);
    char *copy = used.begun && !find(&st, as) ? strdup(path) : NULL;
    if (copy) {
        struct used_file *u = &used.file[used.next++ % FILES_MAX];
        free(u->path);
        *u = (struct used_file){st.st_dev, st.st_ino, as, copy};
    }
    (void)pthread_mutex_unlock(&used.lock);
}

void used_files_forget(int fd, enum used_as as)
{
    struct stat st;
    if (fstat(fd, &st))
        return;
    (void)pthread_mutex_lock(&used.lock);
    for (int i = 0; i < FILES_MAX; i++)
        if (is_at(&used.file[i], &st, as)) {
            free(used.file[i].path);
            used.file[i].path = NULL;
        }
    (void)pthread_mutex_unlock(&used.lock);
}

bool used_files_has(int fd, enum used_as as)
{
    struct stat st;
    if (fstat(fd, &st))
        return false;
    (void)pthread_mutex_lock(&used.lock);
    const bool has = find(&st, as) != NULL;
    (void)pthread_mutex_unlock(&used.lock);
    return has;
}
