/* A bus by the words of a bench file or a command line:
 *
 *     socketcan:can0                   an interface of this kernel
 *     rtdm:rtcan0                      an interface of RT-Socket-CAN, with the Cobalt core only
 *     udp:20000:20001                  over UDP on this machine: own port, the peer's
 *     udp:20000:192.168.1.20:20000     the same with another machine that runs cannelloni
 *     memory                           in this process, for a simulated clock
 *     replay:run.log                   a candump log
 *     replay:can1@run.log              of one interface in it
 */
#ifndef SKIDPAD_IO_CAN_OPEN_H
#define SKIDPAD_IO_CAN_OPEN_H

#include "shared/base/err.h"
#include "target/io/can.h"
#include "target/io/can_gateway.h"
#include "target/io/can_memory.h"
#include "target/io/can_queue.h"

#include <stddef.h>

enum can_kind { CAN_SOCKETCAN, CAN_UDP, CAN_MEMORY, CAN_REPLAY, CAN_RTDM };
enum { CAN_SPEC_TEXT = 1024 };

/* The words, taken apart. */
struct can_spec {
    int kind;                 /* enum can_kind */
    char name[CAN_SPEC_TEXT]; /* interface; of a log: may be empty */
    char host[CAN_SPEC_TEXT]; /* of udp */
    char path[CAN_SPEC_TEXT]; /* of a log */
    int local_port, peer_port;
};

/* Returns 0 or -EINVAL with a message that says what is allowed. */
int can_spec_parse(const char *text, struct can_spec *spec, struct err *e);

struct can_open_setup {
    uint8_t bus;         /* index, put into every frame */
    const uint32_t *ids; /* frames to take, where the transport can filter; NULL: all */
    int id_count;
    bool fd;      /* there are FD frames to send or to receive */
    bool confirm; /* own frames, where the transport tells */
    struct can_sender_setup sender;
    struct can_memory *memory; /* the bus of `memory`; NULL: not allowed here */
    const atomic_bool *mute;   /* of the port */
    const struct can_gateway_setup
        *gateway; /* NULL: the caller's thread reads and writes itself, as always with rtdm */
};

/* Returns 0 or a negative errno with a message. Close with port->ops->close(port). */
int can_open(struct can_port **port, const char *text, const struct can_open_setup *setup,
             struct err *e);

/* Where the two ends of a demonstration meet on this machine: two interfaces of the core's own CAN
 * (rtcan0 and rtcan1, started) in its program, unless there are FD frames; else a CAN interface
 * that is up (virtual ones first, since nobody else listens there; of real ones the first for the
 * bench, the second for the unit), else UDP. unit: the end of the control unit. */
void can_open_default(bool unit, bool fd, char *text, size_t size);

#endif
