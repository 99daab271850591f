/* Calls of the kernel and of memory. The names are those that programs are linked with: the
 * variants of _FORTIFY_SOURCE are in inject_chk.c, streams in inject_stdio.c. */
#include "rt-tests/inject/inject_wrap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* NOLINTBEGIN(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */

/* ---- files */

FAILS(int, access, -1, (const char *path, int mode), (path, mode))
FAILS(int, fdatasync, -1, (int fd), (fd))
FAILS(int, fsync, -1, (int fd), (fd))
FAILS(int, ftruncate, -1, (int fd, off_t length), (fd, length))
FAILS(int, flock, -1, (int fd, int what), (fd, what))
FAILS(int, fstat, -1, (int fd, struct stat *to), (fd, to))
FAILS(int, lstat, -1, (const char *path, struct stat *to), (path, to))
FAILS(int, stat, -1, (const char *path, struct stat *to), (path, to))
FAILS(int, link, -1, (const char *from, const char *to), (from, to))
FAILS(int, rename, -1, (const char *from, const char *to), (from, to))
FAILS(int, unlink, -1, (const char *path), (path))
FAILS(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
FAILS(int, chmod, -1, (const char *path, mode_t mode), (path, mode))
FAILS(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
FAILS(int, chown, -1, (const char *path, uid_t user, gid_t group), (path, user, group))
FAILS(int, fchown, -1, (int fd, uid_t user, gid_t group), (fd, user, group))
FAILS(char *, realpath, NULL, (const char *path, char *to), (path, to))
FAILS(int, mkstemp, -1, (char *path), (path))
FAILS(int, dup2, -1, (int from, int to), (from, to))
FAILS(int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
FAILS(int, dup3, -1, (int from, int to, int flags), (from, to, flags))
FAILS(off_t, lseek, -1, (int fd, off_t to, int whence), (fd, to, whence))
FAILS(ssize_t, readlink, -1, (const char *path, char *to, size_t size), (path, to, size))
FAILS(DIR *, opendir, NULL, (const char *path), (path))
FAILS(struct dirent *, readdir, NULL, (DIR * d), (d))
FAILS_SHORT(ssize_t, read, (int fd, void *to, size_t bytes), (fd, to, part), bytes)
FAILS_SHORT(ssize_t, write, (int fd, const void *from, size_t bytes), (fd, from, part), bytes)
FAILS_SHORT(ssize_t, pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, part, at), bytes)
FAILS_SHORT(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at),
            (fd, from, part, at), bytes)

/* The error of close() comes after the file is closed. */
int close(int fd)
{
    NEXT(close);
    enum inject_kind kind = MEET(close);
    int error = errno, status = next(fd);
    if (kind != INJECT_ERROR)
        return status;
    errno = error;
    return -1;
}

int open(const char *path, int flags, ...)
{
    NEXT(open);
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return MEET(open) == INJECT_ERROR ? -1 : next(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    NEXT(openat);
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return MEET(openat) == INJECT_ERROR ? -1 : next(at, path, flags, mode);
}

int fcntl(int fd, int what, ...)
{
    NEXT(fcntl);
    va_list rest;
    va_start(rest, what);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return MEET(fcntl) == INJECT_ERROR ? -1 : next(fd, what, argument);
}

int ioctl(int fd, unsigned long what, ...)
{
    NEXT(ioctl);
    va_list rest;
    va_start(rest, what);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return MEET(ioctl) == INJECT_ERROR ? -1 : next(fd, what, argument);
}

/* ---- sockets */

FAILS(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
FAILS(int, socketpair, -1, (int domain, int type, int protocol, int ends[2]),
      (domain, type, protocol, ends))
FAILS(int, listen, -1, (int fd, int backlog), (fd, backlog))
FAILS(int, accept4, -1, (int fd, struct sockaddr *at, socklen_t *n, int flags), (fd, at, n, flags))
FAILS(int, bind, -1, (int fd, const struct sockaddr *at, socklen_t n), (fd, at, n))
FAILS(int, connect, -1, (int fd, const struct sockaddr *at, socklen_t n), (fd, at, n))
FAILS(unsigned, if_nametoindex, 0, (const char *name), (name))
FAILS(struct if_nameindex *, if_nameindex, NULL, (void), ())
FAILS(int, getpeername, -1, (int fd, struct sockaddr *at, socklen_t *n), (fd, at, n))
FAILS(int, getsockname, -1, (int fd, struct sockaddr *at, socklen_t *n), (fd, at, n))
FAILS(int, setsockopt, -1, (int fd, int level, int name, const void *value, socklen_t n),
      (fd, level, name, value, n))
FAILS(int, getsockopt, -1, (int fd, int level, int name, void *value, socklen_t *n),
      (fd, level, name, value, n))
FAILS(ssize_t, send, -1, (int fd, const void *from, size_t bytes, int flags),
      (fd, from, bytes, flags))
FAILS(ssize_t, sendto, -1,
      (int fd, const void *from, size_t bytes, int flags, const struct sockaddr *to, socklen_t n),
      (fd, from, bytes, flags, to, n))
FAILS(ssize_t, sendmsg, -1, (int fd, const struct msghdr *m, int flags), (fd, m, flags))
FAILS(int, sendmmsg, -1, (int fd, struct mmsghdr *m, unsigned n, int flags), (fd, m, n, flags))
FAILS(ssize_t, recv, -1, (int fd, void *to, size_t bytes, int flags), (fd, to, bytes, flags))
FAILS(ssize_t, recvfrom, -1,
      (int fd, void *to, size_t bytes, int flags, struct sockaddr *from, socklen_t *n),
      (fd, to, bytes, flags, from, n))
FAILS(ssize_t, recvmsg, -1, (int fd, struct msghdr *m, int flags), (fd, m, flags))

/* Of the host only the thread for the network does this. */
int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *limit)
{
    NEXT(recvmmsg);
    inject_mark_network();
    return MEET(recvmmsg) == INJECT_ERROR ? -1 : next(fd, m, n, flags, limit);
}

/* ---- waiting, threads, processes */

FAILS(int, poll, -1, (struct pollfd * at, nfds_t n, int ms), (at, n, ms))
FAILS(int, ppoll, -1,
      (struct pollfd * at, nfds_t n, const struct timespec *limit, const sigset_t *set),
      (at, n, limit, set))
FAILS(int, eventfd, -1, (unsigned value, int flags), (value, flags))
FAILS(int, signalfd, -1, (int fd, const sigset_t *set, int flags), (fd, set, flags))
FAILS(int, sigtimedwait, -1, (const sigset_t *set, siginfo_t *info, const struct timespec *limit),
      (set, info, limit))
FAILS(int, pipe2, -1, (int ends[2], int flags), (ends, flags))
FAILS(pid_t, fork, -1, (void), ())
FAILS(pid_t, waitpid, -1, (pid_t pid, int *status, int options), (pid, status, options))
FAILS(int, sem_wait, -1, (sem_t * s), (s))
FAILS(int, nanosleep, -1, (const struct timespec *pause, struct timespec *left), (pause, left))
FAILS(int, usleep, -1, (useconds_t us), (us))
FAILS(int, setpriority, -1, (__priority_which_t which, id_t who, int nice), (which, who, nice))
FAILS(struct group *, getgrnam, NULL, (const char *name), (name))
FAILS(struct passwd *, getpwuid, NULL, (uid_t user), (user))
FAILS(int, mlockall, -1, (int flags), (flags))
FAILS(int, execv, -1, (const char *path, char *const argv[]), (path, argv))
/* This one returns its error. */
FAILS(int, pthread_create, errno,
      (pthread_t * t, const pthread_attr_t *a, void *(*work)(void *), void *argument),
      (t, a, work, argument))
FAILS(int, clock_nanosleep, errno,
      (clockid_t clock, int flags, const struct timespec *until, struct timespec *left),
      (clock, flags, until, left))

int clock_gettime(clockid_t clock, struct timespec *t)
{
    NEXT(clock_gettime);
    /* Only the wall clock can be set. */
    enum inject_kind kind = clock == CLOCK_REALTIME ? MEET(clock_gettime) : INJECT_NOTHING;
    int status = kind == INJECT_ERROR ? -1 : next(clock, t);
    if (status == 0 && clock == CLOCK_REALTIME) {
        int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec + inject_step_ns();
        t->tv_sec = ns / 1000000000;
        t->tv_nsec = ns % 1000000000;
    }
    return status;
}

int prctl(int what, ...)
{
    NEXT(prctl);
    va_list rest;
    va_start(rest, what);
    unsigned long a = va_arg(rest, unsigned long), b = va_arg(rest, unsigned long),
                  c = va_arg(rest, unsigned long), d = va_arg(rest, unsigned long);
    va_end(rest);
    if (what == PR_SET_TIMERSLACK)
        inject_mark_realtime(); /* only the real-time thread asks for it */
    return MEET(prctl) == INJECT_ERROR ? -1 : next(what, a, b, c, d);
}

long syscall(long number, ...)
{
    NEXT(syscall);
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long),
         d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    return MEET(syscall) == INJECT_ERROR ? -1 : next(number, a, b, c, d, e, f);
}

int execl(const char *path, const char *arg, ...)
{
    enum { MOST = 64 };
    char *argv[MOST];
    int n = 0;
    va_list rest;
    NEXT(execv);
    va_start(rest, arg);
    for (char *a = (char *)arg; a && n < MOST - 1; a = va_arg(rest, char *))
        argv[n++] = a;
    va_end(rest);
    argv[n] = NULL;
    return MEET(execl) == INJECT_ERROR ? -1 : next(path, argv);
}

/* ---- memory */

FAILS(void *, malloc, NULL, (size_t bytes), (bytes))
FAILS(void *, realloc, NULL, (void *old, size_t bytes), (old, bytes))
FAILS(void *, aligned_alloc, NULL, (size_t align, size_t bytes), (align, bytes))
FAILS(char *, strdup, NULL, (const char *text), (text))
FAILS(char *, strndup, NULL, (const char *text, size_t most), (text, most))
FAILS(void *, mmap, MAP_FAILED, (void *at, size_t n, int prot, int flags, int fd, off_t from),
      (at, n, prot, flags, fd, from))

/* A sanitizer's dlsym() allocates before its own calloc() is known. */
void *calloc(size_t count, size_t bytes)
{
    static char early[4096];
    static size_t used;
    static _Thread_local bool looking;
    static void *(*next)(size_t, size_t);
    if (!next && looking) {
        void *at = early + used;
        used += (count * bytes + 15) / 16 * 16;
        return used <= sizeof early ? at : NULL;
    }
    if (!next) {
        looking = true;
        *(void **)&next = inject_next("calloc");
        looking = false;
    }
    return MEET(calloc) == INJECT_ERROR ? NULL : next(count, bytes);
}

/* NOLINTEND(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */
