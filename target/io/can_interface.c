#include "target/io/can_interface.h"

#include <errno.h>
#include <linux/can.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
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

/* ---- what waits in the queue: asked of the kernel's queueing disciplines */

/* An attribute of that type among the bytes; NULL: there is none. */
static const struct rtattr *find_attribute(const void *at, size_t bytes, unsigned short type)
{
    while (bytes >= sizeof(struct rtattr)) {
        const struct rtattr *a = at;
        const size_t whole = RTA_ALIGN((size_t)a->rta_len);
        if (a->rta_len < sizeof *a || a->rta_len > bytes)
            return NULL;
        if (a->rta_type == type)
            return a;
        if (whole >= bytes)
            return NULL;
        at = (const char *)at + whole;
        bytes -= whole;
    }
    return NULL;
}

/* Frames in the queue that this answer tells of; -1: it is not the interface's. */
static int queued_in(const struct nlmsghdr *h, int index)
{
    const struct tcmsg *t = NLMSG_DATA(h);
    struct gnet_stats_queue queue;
    if (h->nlmsg_type != RTM_NEWQDISC || t->tcm_ifindex != index || t->tcm_parent != TC_H_ROOT)
        return -1;
    const struct rtattr *stats =
        find_attribute(TCA_RTA(t), h->nlmsg_len - NLMSG_LENGTH(sizeof *t), TCA_STATS2);
    const struct rtattr *a =
        stats ? find_attribute(RTA_DATA(stats), RTA_PAYLOAD(stats), TCA_STATS_QUEUE) : NULL;
    if (!a || RTA_PAYLOAD(a) < sizeof queue)
        return -1;
    memcpy(&queue, RTA_DATA(a), sizeof queue);
    return (int)queue.qlen;
}

/* Reads answers until the last one. Returns the frames, or a negative errno. */
static int read_queued(int s, int index)
{
    union {
        struct nlmsghdr head;
        char bytes[16384];
    } in;
    int queued = 0; /* an interface without a queue has no discipline */
    for (;;) {
        ssize_t n = recv(s, &in, sizeof in, 0);
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        for (const struct nlmsghdr *h = &in.head; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
            if (h->nlmsg_type == NLMSG_DONE)
                return queued;
            if (h->nlmsg_type == NLMSG_ERROR)
                return -EIO;
            const int here = queued_in(h, index);
            queued = here >= 0 ? here : queued;
        }
    }
}

int can_interface_queued(const char *interface)
{
    const struct {
        struct nlmsghdr head;
        struct tcmsg about;
    } request = {.head = {.nlmsg_len = sizeof request,
                          .nlmsg_type = RTM_GETQDISC,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                 .about = {.tcm_family = AF_UNSPEC}};
    const unsigned index = if_nametoindex(interface);
    if (index == 0)
        return -ENODEV;
    const int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (s < 0)
        return -errno;
    const int queued = send(s, &request, sizeof request, 0) == (ssize_t)sizeof request
                           ? read_queued(s, (int)index)
                           : -errno;
    (void)close(s);
    return queued;
}
