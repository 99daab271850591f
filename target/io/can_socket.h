/* A CAN interface of the Linux kernel (SocketCAN), read and written without waiting.
 *
 * One recvmmsg takes up to CAN_BATCH frames, one sendmmsg sends as many: the only system calls of
 * send and receive. Frames carry the kernel's receive stamp. What the interface's own queue (10
 * frames unless its txqueuelen says more) does not take waits here, and is tried again with the
 * next send or receive; full is what finds this queue full as well. An interface that is taken down
 * and up again keeps its socket; one that disappears (a USB adapter) is looked for by service and
 * taken again under the same descriptor, while the other thread goes on. */
#ifndef SKIDPAD_IO_CAN_SOCKET_H
#define SKIDPAD_IO_CAN_SOCKET_H

#include "shared/base/err.h"
#include "target/io/can_queue.h"

enum { CAN_SOCKET_IDS = 512 /* the kernel's limit */ };

struct can_socket_setup {
    const char *interface;
    /* Frames to take, with CAN_ID_EXTENDED; NULL: all. Error frames come in any case, own ones if
     * their ids are listed. */
    const uint32_t *ids;
    int id_count;
    struct can_sender_setup sender; /* no thread of its own: the caller's */
    bool confirm;                   /* own frames come back when they were on the bus */
};

/* FD if the interface is set up for it. Returns 0 or a negative errno with a message: -EAFNOSUPPORT
 * without CAN in the kernel, -ENODEV if there is no such interface, -ENETDOWN if it is down. */
int can_socket_open(struct can_port **port, const struct can_socket_setup *setup, struct err *e);

#endif
