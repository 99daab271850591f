/* RT-Socket-CAN: CAN through RTDM drivers of the Cobalt core, without leaving real time.
 *
 * The real-time thread receives without waiting. It does not send: a controller has one frame in
 * flight, and refuses the next one until that is on the bus. A second thread of the core waits for
 * it instead (can_sender.h).
 *
 * What differs from SocketCAN, besides __RT(): a socket falls back to Linux silently if no driver
 * of RTDM answers; ioctl() would leave real time, so that the controller's state comes from error
 * frames and from service(); once stamps are on, a receive without room for them would shift the
 * ring, so every one has it; a stamp is 8 bytes of CLOCK_REALTIME without a header; standard
 * identifiers above 0x7ef are refused; there are no FD frames and no confirmations. */
#include "shared/base/time.h"
#include "target/io/can_core.h"
#include "target/io/can_rtcan.h"
#include "target/io/can_sender.h"
#include "target/io/can_stamp.h"
#include "target/io/can_state.h"

#include <errno.h>
#include <net/if.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <rtdm/can.h>
#include <rtdm/rtdm.h>

/* The stand-in of the core's calls has files of its own. */
#ifndef RTCAN_PROC_SOCKETS
#define RTCAN_PROC_SOCKETS "/proc/rtcan/sockets"
#define RTCAN_PROC_DEVICES "/proc/rtcan/devices"
#endif

enum { CAN_RTDM_FILTERS = 16 };
enum { NOT_POLLED = -1 };

/* The core's clocks: no system call. */
static int64_t clock_ns(clockid_t clock)
{
    struct timespec t = {0, 0};
    (void)__RT(clock_gettime(clock, &t));
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t day_ahead_ns(void)
{
    return can_stamp_ahead_ns(clock_ns);
}

struct can_rtdm {
    struct can_port port; /* first */
    int socket;
    char interface[IFNAMSIZ];
    atomic_int polled; /* state that service() saw, until receive takes it; else NOT_POLLED */
    struct can_stamp stamp;
    _Atomic uint32_t overflow; /* of the socket's ring, as service() read it */
    uint64_t error_overflow;   /* as error frames tell */
    int64_t timeout_ns;        /* of sending; marks the socket in the core's list */
    struct can_sender *sender;
};

/* ---- set-up */

/* What to do about a socket that is not RTDM's, or an interface that is not there. */
static const char load_driver[] =
    "load the driver (modprobe xeno_can, then that of the board; xeno_can_virt has rtcan0 and "
    "rtcan1 without hardware) and see cat /proc/rtcan/devices";

static int fail(struct err *e, int error, const char *interface, const char *what)
{
    return err_set(e, -error, "%s: %s: %s", interface, what, strerror(error));
}

static int state_of(int state)
{
    switch (state) {
    case CAN_STATE_ERROR_ACTIVE:
    case CAN_STATE_ERROR_WARNING:
        return CAN_ACTIVE;
    case CAN_STATE_ERROR_PASSIVE:
        return CAN_PASSIVE;
    case CAN_STATE_BUS_OFF:
        return CAN_BUS_OFF;
    default:
        return CAN_DOWN;
    }
}

static void name_request(struct can_ifreq *request, const char *interface)
{
    memset(request, 0, sizeof *request);
    (void)snprintf(request->ifr_ifrn.ifrn_name, sizeof request->ifr_ifrn.ifrn_name, "%s",
                   interface);
}

/* Whether it is a socket of an RTDM driver for CAN, not one of Linux. */
static int check_rtdm(int socket, const char *interface, struct err *e)
{
    struct rtdm_device_info info;
    memset(&info, 0, sizeof info);
    if (__RT(ioctl(socket, RTIOC_DEVICE_INFO, &info)) == 0 && info.device_class == RTDM_CLASS_CAN)
        return 0;
    return err_set(e, -ENOTSUP,
                   "%s: the socket is one of Linux, not of RTDM, and would leave real time with "
                   "every frame: %s",
                   interface, load_driver);
}

/* The index of the interface, which must be started. */
static int find_interface(struct can_rtdm *c, int *index, struct err *e)
{
    struct can_ifreq request;
    name_request(&request, c->interface);
    if (__RT(ioctl(c->socket, SIOCGIFINDEX, &request))) {
        int error = errno;
        return err_set(e, -error, "%s: no such interface of RT-Socket-CAN (%s): %s", c->interface,
                       strerror(error), load_driver);
    }
    *index = request.ifr_ifru.ifru_ivalue;
    name_request(&request, c->interface);
    if (__RT(ioctl(c->socket, SIOCGCANSTATE, &request)))
        return fail(e, errno, c->interface, "its state cannot be read");
    c->port.state = state_of((int)request.ifr_ifru.state);
    if (c->port.state == CAN_DOWN || c->port.state == CAN_BUS_OFF)
        return err_set(e, -ENETDOWN,
                       "%s: the controller is %s: start it, e.g. rtcanconfig %s -b "
                       "500000 start",
                       c->interface, c->port.state == CAN_DOWN ? "stopped" : "off the bus",
                       c->interface);
    return 0;
}

/* Only the frames that are wanted take room in the socket's ring, which is small (1 kB unless the
 * kernel was built with more). Drivers have few places for filters (16): without one left all
 * frames come, as if none had been asked for. */
static void set_filters(struct can_rtdm *c, const struct can_core_setup *setup)
{
    struct can_filter filters[CAN_RTDM_FILTERS];
    if (!setup->ids || setup->id_count < 1 || setup->id_count > CAN_RTDM_FILTERS)
        return;
    for (int i = 0; i < setup->id_count; i++) {
        const bool extended = (setup->ids[i] & CAN_ID_EXTENDED) != 0;
        filters[i] = (struct can_filter){.can_id = setup->ids[i],
                                         .can_mask = CAN_EFF_FLAG | CAN_RTR_FLAG |
                                                     (extended ? CAN_EFF_MASK : CAN_SFF_MASK)};
    }
    (void)__RT(setsockopt(c->socket, SOL_CAN_RAW, CAN_RAW_FILTER, filters,
                          (socklen_t)((size_t)setup->id_count * sizeof filters[0])));
}

static int set_up(struct can_rtdm *c, const struct can_core_setup *setup, struct err *e)
{
    struct sockaddr_can address;
    const nanosecs_rel_t timeout_ns = c->timeout_ns;
    /* Not CAN_ERR_BUSERROR: a cable pulled out would flood us with it. */
    const can_err_mask_t errors =
        CAN_ERR_TX_TIMEOUT | CAN_ERR_CRTL | CAN_ERR_TRX | CAN_ERR_BUSOFF | CAN_ERR_RESTARTED;
    memset(&address, 0, sizeof address);
    address.can_family = AF_CAN;
    int bad = check_rtdm(c->socket, c->interface, e);
    if (!bad)
        bad = find_interface(c, &address.can_ifindex, e);
    if (bad)
        return bad;
    if (__RT(setsockopt(c->socket, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors)))
        return fail(e, errno, c->interface, "error frames were refused");
    set_filters(c, setup);
    if (__RT(ioctl(c->socket, RTCAN_RTIOC_SND_TIMEOUT, &timeout_ns)))
        return fail(e, errno, c->interface, "the time-out of sending was refused");
    if (__RT(bind(c->socket, (const struct sockaddr *)&address, sizeof address)))
        return fail(e, errno, c->interface, "the socket could not be bound");
    /* By value, unlike the others. */
    if (__RT(ioctl(c->socket, RTCAN_RTIOC_TAKE_TIMESTAMP, (void *)RTCAN_TAKE_TIMESTAMPS)))
        return fail(e, errno, c->interface, "time stamps were refused");
    return 0;
}

/* ---- the real-time thread */

static int rtdm_send(struct can_port *port, const struct can_msg *msgs, int n)
{
    return can_sender_put(((struct can_rtdm *)port)->sender, msgs, n);
}

/* What the sender and service() have told since the last tick. */
static void take_told(struct can_rtdm *c)
{
    if (can_sender_told(c->sender, &c->port) && c->port.state != CAN_BUS_OFF)
        can_state_enter(&c->port, CAN_DOWN);
    c->port.counts.overflow =
        c->error_overflow + atomic_load_explicit(&c->overflow, memory_order_relaxed);
}

static void take_frame(struct can_rtdm *c, const struct can_frame *f, struct can_msg *m)
{
    m->bus = c->port.bus;
    if (f->can_id & CAN_ERR_FLAG) {
        m->flags = CAN_MSG_ERROR;
        m->id = f->can_id & CAN_ERR_MASK;
        m->len = CAN_ERR_DLC;
        memcpy(m->data, f->data, CAN_ERR_DLC);
        c->port.counts.error_frames++;
        if ((m->id & CAN_ERR_CRTL) && (m->data[1] & CAN_ERR_CRTL_RX_OVERFLOW))
            c->error_overflow++;
        can_state_enter(&c->port, can_state_after_error(m, c->port.state));
        return;
    }
    m->id = f->can_id & (CAN_EFF_FLAG | (f->can_id & CAN_EFF_FLAG ? CAN_EFF_MASK : CAN_SFF_MASK));
    m->len = f->can_dlc < CAN_CLASSIC_DATA ? f->can_dlc : CAN_CLASSIC_DATA;
    if (f->can_id & CAN_RTR_FLAG)
        m->flags = CAN_MSG_REMOTE;
    else
        memcpy(m->data, f->data, m->len);
    c->port.counts.received++;
    can_state_alive(&c->port);
}

/* One frame, if there is one. *day_ns: its stamp; 0: it has none. */
static bool take(struct can_rtdm *c, struct can_msg *m, int64_t *day_ns)
{
    struct can_frame f;
    nanosecs_abs_t stamp_ns = 0;
    struct iovec part = {.iov_base = &f, .iov_len = sizeof f};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &stamp_ns, /* always: see above */
                             .msg_controllen = sizeof stamp_ns};
    if (__RT(recvmsg(c->socket, &message, MSG_DONTWAIT)) != (ssize_t)sizeof f)
        return false;
    memset(m, 0, sizeof *m);
    *day_ns = message.msg_controllen == sizeof stamp_ns ? (int64_t)stamp_ns : 0;
    take_frame(c, &f, m);
    return true;
}

static int rtdm_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct can_rtdm *c = (struct can_rtdm *)port;
    int64_t day_ns[CAN_BATCH];
    int n = 0, most = max < CAN_BATCH ? max : CAN_BATCH;
    can_stamp_look(&c->stamp, now_ns, day_ahead_ns());
    while (n < most && take(c, &msgs[n], &day_ns[n]))
        n++;
    can_stamp_looked(&c->stamp, n > 0 ? day_ahead_ns() : c->stamp.look_ahead_ns, n < most);
    for (int i = 0; i < n; i++)
        if (!can_stamp_of(&c->stamp, day_ns[i], &msgs[i].time_ns))
            port->counts.unstamped++;
    take_told(c);
    int polled = atomic_exchange_explicit(&c->polled, NOT_POLLED, memory_order_relaxed);
    if (polled != NOT_POLLED)
        can_state_enter(port, polled);
    return n;
}

/* ---- any other thread */

/* The state, for controllers whose drivers send no error frames. ioctl() is not for the real-time
 * thread. */
static void rtdm_service(struct can_port *port)
{
    struct can_rtdm *c = (struct can_rtdm *)port;
    struct can_ifreq request;
    name_request(&request, c->interface);
    if (__RT(ioctl(c->socket, SIOCGCANSTATE, &request)) == 0)
        atomic_store_explicit(&c->polled, state_of((int)request.ifr_ifru.state),
                              memory_order_relaxed);
    int64_t lost = can_rtcan_lost(RTCAN_PROC_SOCKETS, c->interface, c->timeout_ns);
    if (lost >= 0)
        atomic_store_explicit(&c->overflow, (uint32_t)lost, memory_order_relaxed);
}

static void rtdm_finish(struct can_port *port)
{
    struct can_rtdm *c = (struct can_rtdm *)port;
    can_sender_finish(c->sender);
    rtdm_service(port);
    take_told(c);
}

static void rtdm_close(struct can_port *port)
{
    struct can_rtdm *c = (struct can_rtdm *)port;
    can_sender_close(c->sender);
    if (c->socket >= 0)
        (void)__RT(close(c->socket));
    free(c);
}

static const struct can_ops ops = {.name = "rtdm",
                                   .send = rtdm_send,
                                   .receive = rtdm_receive,
                                   .service = rtdm_service,
                                   .finish = rtdm_finish,
                                   .close = rtdm_close};

bool can_core_default(bool unit, char *text, size_t size)
{
    char first[IFNAMSIZ], second[IFNAMSIZ];
    if (can_rtcan_active(RTCAN_PROC_DEVICES, first, second) < 2)
        return false;
    (void)snprintf(text, size, "rtdm:%s", unit ? second : first);
    return true;
}

int can_core_open(struct can_port **port, const struct can_core_setup *setup, struct err *e)
{
    static atomic_int opened;
    const char *interface = setup->interface;
    *port = NULL;
    if (setup->fd)
        return err_set(e, -ENOTSUP,
                       "%s: RT-Socket-CAN carries classic frames only, up to 8 bytes, and this "
                       "bench has CAN FD frames on the bus: take an interface of Linux (can0), "
                       "which goes through the gateway, or classic frames",
                       interface);
    if (strlen(interface) >= IFNAMSIZ)
        return err_set(e, -EINVAL, "%s: longer than the name of an interface can be (%d)",
                       interface, IFNAMSIZ - 1);
    struct can_rtdm *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(e, -ENOMEM, "%s: out of memory", interface);
    (void)snprintf(c->interface, sizeof c->interface, "%s", interface);
    c->port = (struct can_port){.ops = &ops, .descriptor = -1};
    c->timeout_ns = can_rtcan_timeout_ns((int)getpid(), atomic_fetch_add(&opened, 1));
    atomic_init(&c->polled, NOT_POLLED);
    can_stamp_begin(&c->stamp, clock_ns(CLOCK_MONOTONIC), day_ahead_ns());
    c->socket = __RT(socket(PF_CAN, SOCK_RAW, CAN_RAW));
    int bad = c->socket < 0 ? fail(e, errno, interface, "no socket of RT-Socket-CAN")
                            : set_up(c, setup, e);
    if (!bad)
        bad = can_sender_open(&c->sender, c->socket, interface, &setup->sender, e);
    if (bad) {
        rtdm_close(&c->port);
        return bad;
    }
    *port = &c->port;
    return 0;
}
