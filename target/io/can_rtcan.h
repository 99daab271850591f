/* What RT-Socket-CAN tells in files of Linux: which interfaces there are, and how many frames found
 * a socket's ring full. There is no call for it, and its list has no name for a socket but what can
 * be chosen: the time-out of sending.
 */
#ifndef SKIDPAD_IO_CAN_RTCAN_H
#define SKIDPAD_IO_CAN_RTCAN_H

#include <net/if.h>
#include <stdint.h>

/* A time-out of about 0.1 s that no other socket has. */
int64_t can_rtcan_timeout_ns(int pid, int socket);
/* Frames lost by the socket with this time-out on that interface, or -1 if it is not in the list.
 */
int64_t can_rtcan_lost(const char *path, const char *interface, int64_t timeout_ns);

/* The first two interfaces whose controllers are started. Returns how many there are in all. */
int can_rtcan_active(const char *path, char first[IFNAMSIZ], char second[IFNAMSIZ]);

#endif
