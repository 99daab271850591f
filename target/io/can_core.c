/* For programs of cores without CAN of their own; can_rtdm.c takes the place of this file. */
#include "target/io/can_core.h"

#include <errno.h>
#include <stddef.h>

int can_core_open(struct can_port **port, const char *interface, bool fd, struct err *e)
{
    (void)fd;
    *port = NULL;
    return err_set(e, -ENOTSUP,
                   "%s: RT-Socket-CAN belongs to the Cobalt core: run with --rt cobalt, or take an "
                   "interface of Linux (can0, vcan0)",
                   interface);
}
