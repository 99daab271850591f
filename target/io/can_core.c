/* For programs of cores without CAN of their own; can_rtdm.c takes the place of this file. */
#include "target/io/can_core.h"

#include <errno.h>
#include <stddef.h>

bool can_core_default(bool unit, char *text, size_t size)
{
    (void)unit;
    if (size > 0)
        text[0] = '\0';
    return false;
}

int can_core_open(struct can_port **port, const struct can_core_setup *setup, struct err *e)
{
    *port = NULL;
    return err_set(e, -ENOTSUP,
                   "%s: RT-Socket-CAN belongs to the Cobalt core, and this program is not one of "
                   "that core's (skidpad run with --rt cobalt, skidpad ecu); or take an interface "
                   "of Linux (can0, vcan0)",
                   setup->interface);
}
