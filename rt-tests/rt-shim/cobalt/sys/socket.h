#include_next <sys/socket.h>
#ifndef SKIDPAD_SHIM_SYS_SOCKET_H
#define SKIDPAD_SHIM_SYS_SOCKET_H

#include <shim_cobalt.h>

int __cobalt_socket(int family, int type, int protocol);
int __cobalt_bind(int fd, const struct sockaddr *address, socklen_t size);
int __cobalt_setsockopt(int fd, int level, int option, const void *value, socklen_t size);
ssize_t __cobalt_send(int fd, const void *data, size_t size, int flags);
ssize_t __cobalt_recvmsg(int fd, struct msghdr *message, int flags);

#endif
