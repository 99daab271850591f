/* The names that _FORTIFY_SOURCE gives calls whose buffer's size is known. */
#include "rt-tests/inject/inject_wrap.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t bytes, off_t at, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t bytes, size_t room, int flags,
                       struct sockaddr *from, socklen_t *n);
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
int __poll_chk(struct pollfd *at, nfds_t n, int ms, size_t room);
int __ppoll_chk(struct pollfd *at, nfds_t n, const struct timespec *limit, const sigset_t *set,
                size_t room);
int __open_2(const char *path, int flags);

/* NOLINTBEGIN(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */

FAILS_SHORT(ssize_t, __read_chk, (int fd, void *to, size_t bytes, size_t room),
            (fd, to, part, room), bytes)
FAILS_SHORT(ssize_t, __pread_chk, (int fd, void *to, size_t bytes, off_t at, size_t room),
            (fd, to, part, at, room), bytes)
FAILS(ssize_t, __recv_chk, -1, (int fd, void *to, size_t bytes, size_t room, int flags),
      (fd, to, bytes, room, flags))
FAILS(ssize_t, __recvfrom_chk, -1,
      (int fd, void *to, size_t bytes, size_t room, int flags, struct sockaddr *from, socklen_t *n),
      (fd, to, bytes, room, flags, from, n))
FAILS(ssize_t, __readlink_chk, -1, (const char *path, char *to, size_t size, size_t room),
      (path, to, size, room))
FAILS(int, __poll_chk, -1, (struct pollfd * at, nfds_t n, int ms, size_t room), (at, n, ms, room))
FAILS(int, __ppoll_chk, -1,
      (struct pollfd * at, nfds_t n, const struct timespec *limit, const sigset_t *set,
       size_t room),
      (at, n, limit, set, room))
FAILS(int, __open_2, -1, (const char *path, int flags), (path, flags))

/* NOLINTEND(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */
