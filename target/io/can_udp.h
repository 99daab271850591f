/* CAN over UDP, as the program cannelloni does it: two ends, each with a port of its own.
 *
 * For machines whose kernel has no CAN, for the stand-in unit in another process, and for a real
 * bus behind another computer that runs cannelloni. Frames of one send call share datagrams, which
 * leave at once. The socket is connected: the kernel lets in datagrams from the peer's address and
 * port only, and answers others as if nobody listened. The kernel's count of overflows is one of
 * datagrams here. */
#ifndef SKIDPAD_IO_CAN_UDP_H
#define SKIDPAD_IO_CAN_UDP_H

#include "shared/base/err.h"
#include "target/io/can.h"

struct can_udp_setup {
    int local_port;   /* 0: any free one, see can_udp_local_port() */
    const char *host; /* of the peer, numeric IPv4; NULL: this machine */
    int peer_port;    /* 0: nobody yet, see can_udp_set_peer_port() */
};

/* A peer on this machine is heard on this machine only. Returns 0 or a negative errno with a
 * message. */
int can_udp_open(struct can_port **port, const struct can_udp_setup *setup, struct err *e);
/* Takes over a connected socket that another process has opened and may still use: the peer sees
 * one sender. Only to send. Returns 0 or a negative errno with a message. */
int can_udp_adopt(struct can_port **port, int descriptor, struct err *e);
/* Before the first frame: datagrams are numbered there, by whoever sends. */
void can_udp_share_sequence(struct can_port *port, _Atomic uint8_t *sequence);
int can_udp_local_port(const struct can_port *port);
/* Another peer port, before the first frame: for two ends that both took a free one. Returns 0 or a
 * negative errno. */
int can_udp_set_peer_port(struct can_port *port, int peer_port);

#endif
