/* The CAN interfaces of this machine. For set-up. */
#ifndef SKIDPAD_IO_CAN_INTERFACE_H
#define SKIDPAD_IO_CAN_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

/* The names of the CAN interfaces that are up (up_only) or that there are at all, separated by
 * blanks, cut to fit. Returns how many; 0 also where the kernel has no CAN. */
int can_interface_list(char *names, size_t size, bool up_only);

/* Whether this kernel can open CAN sockets. */
bool can_interface_kernel_has_can(void);

/* Frames that the interface's transmit queue holds, or a negative errno. */
int can_interface_queue_length(const char *interface);

/* Frames that wait in that queue now, of all senders, or a negative errno. May wait for others in
 * the kernel: not for real-time threads. */
int can_interface_queued(const char *interface);

#endif
