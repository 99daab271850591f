#include "target/io/can_interface.h"

#include <errno.h>
#include <linux/can.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef ARPHRD_CAN
#define ARPHRD_CAN 280
#endif

/* Asks about an interface by any socket. Returns 0 or a negative errno. */
static int ask(int s, const char *interface, unsigned long what, struct ifreq *answer)
{
    memset(answer, 0, sizeof *answer);
    memcpy(answer->ifr_name, interface, strnlen(interface, IFNAMSIZ - 1));
    return ioctl(s, what, answer) ? -errno : 0;
}

static bool is_can(int s, const char *interface, bool up_only)
{
    struct ifreq hardware, flags;
    return !ask(s, interface, SIOCGIFHWADDR, &hardware) &&
           hardware.ifr_hwaddr.sa_family == ARPHRD_CAN &&
           !ask(s, interface, SIOCGIFFLAGS, &flags) &&
           (!up_only || (flags.ifr_flags & IFF_UP) != 0);
}

int can_interface_list(char *names, size_t size, bool up_only)
{
    const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct if_nameindex *list = if_nameindex();
    size_t used = 0;
    int count = 0;
    if (size > 0)
        names[0] = '\0';
    for (int i = 0; list && s >= 0 && list[i].if_index != 0; i++) {
        if (!is_can(s, list[i].if_name, up_only))
            continue;
        count++;
        if (used < size) {
            const int n =
                snprintf(names + used, size - used, "%s%s", used > 0 ? " " : "", list[i].if_name);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (list)
        if_freenameindex(list);
    if (s >= 0)
        (void)close(s);
    return count;
}

bool can_interface_kernel_has_can(void)
{
    const int s = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW);
    if (s >= 0)
        (void)close(s);
    return s >= 0;
}

int can_interface_queue_length(const char *interface)
{
    struct ifreq answer;
    const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s < 0)
        return -errno;
    const int bad = ask(s, interface, SIOCGIFTXQLEN, &answer);
    (void)close(s);
    return bad ? bad : answer.ifr_qlen;
}
