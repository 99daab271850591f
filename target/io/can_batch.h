/* Many datagrams in one system call: recvmmsg without waiting, with the kernel's receive stamps and
 * its count of what it had to throw away. For the transports that read sockets. */
#ifndef SKIDPAD_IO_CAN_BATCH_H
#define SKIDPAD_IO_CAN_BATCH_H

#include "target/io/can.h"
#include "target/io/can_stamp.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <time.h>

struct can_batch {
    int size; /* datagrams at a time, at most CAN_BATCH */
    struct mmsghdr heads[CAN_BATCH];
    struct iovec parts[CAN_BATCH];
    struct sockaddr_in from[CAN_BATCH]; /* filled for internet sockets */
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
    } control[CAN_BATCH];
    uint32_t thrown_away; /* by the kernel, as it last told */
    struct can_stamp stamp;
};

/* The buffers lie side by side, each of that many bytes. The socket must not be older: what it
 * receives comes after this call. */
void can_batch_init(struct can_batch *b, int size, void *buffers, size_t bytes_each);
/* Asks the kernel for stamps and its count, and for a receive buffer of that size. Returns 0 or a
 * negative errno. */
int can_batch_ask(int descriptor, int buffer_bytes);
/* A socket replaced the one before: its count starts again. */
void can_batch_restart(struct can_batch *b);

/* Up to max datagrams; now_ns is CLOCK_MONOTONIC, just read. Returns how many, 0 if there are none,
 * or a negative errno. */
int can_batch_receive(struct can_batch *b, int descriptor, int max, int64_t now_ns);
/* When datagram i arrived, on CLOCK_MONOTONIC (can_stamp.h). A stamp that is missing or cannot be
 * becomes the now_ns of its receive call, and false is returned. */
bool can_batch_stamp(struct can_batch *b, int i, int64_t *stamp_ns);
/* How many more datagrams the kernel has thrown away up to datagram i. */
uint32_t can_batch_thrown_away(struct can_batch *b, int i);

#endif
