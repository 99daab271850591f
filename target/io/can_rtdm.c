/* RT-Socket-CAN: CAN through RTDM drivers of the Cobalt core, without leaving real time.
 *
 * What differs from SocketCAN, besides __RT(): a socket falls back to Linux silently if no driver
 * of RTDM answers; ioctl() would leave real time, so that the controller's state comes from error
 * frames and from service(); once stamps are on, a receive without room for them would shift the
 * ring, so every one has it; a stamp is 8 bytes of CLOCK_REALTIME without a header; standard
 * identifiers above 0x7ef are refused; there are no FD frames and no confirmations. */
#include "shared/base/time.h"
#include "shared/can/frame.h"
#include "target/io/can_core.h"
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

enum { NOT_POLLED = -1 };
/* A stamp older or newer than this is not one. */
static const int64_t stamp_range_ns = 10 * NS_PER_S;

struct can_rtdm {
    struct can_port port; /* first */
    int socket;
    char interface[IFNAMSIZ];
    atomic_int polled; /* state that service() saw, until receive takes it; else NOT_POLLED */
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

static int set_up(struct can_rtdm *c, struct err *e)
{
    struct sockaddr_can address;
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
    struct can_rtdm *c = (struct can_rtdm *)port;
    int taken = 0;
    for (int i = 0; i < n; i++) {
        const struct can_msg *m = &msgs[i];
        struct can_frame f;
        if (!can_frame_valid(m, false)) {
            port->counts.failed++;
            continue;
        }
        memset(&f, 0, sizeof f);
        f.can_id = m->id | (m->flags & CAN_MSG_REMOTE ? CAN_RTR_FLAG : 0);
        f.can_dlc = m->len;
        memcpy(f.data, m->data, m->len);
        if (__RT(send(c->socket, &f, sizeof f, MSG_DONTWAIT)) == (ssize_t)sizeof f) {
            taken++;
            port->counts.sent++;
        } else if (errno == EAGAIN) {
            port->counts.full++;
        } else {
            port->counts.failed++;
            if (errno == ENETDOWN && port->state != CAN_BUS_OFF)
                can_state_enter(port, CAN_DOWN);
        }
    }
    return taken;
}

/* CLOCK_REALTIME ahead of CLOCK_MONOTONIC, by the core's clocks: no system call. */
static int64_t real_ahead_ns(void)
{
    struct timespec real = {0, 0}, mono = {0, 0};
    (void)__RT(clock_gettime(CLOCK_REALTIME, &real));
    (void)__RT(clock_gettime(CLOCK_MONOTONIC, &mono));
    return ((int64_t)real.tv_sec - mono.tv_sec) * NS_PER_S + real.tv_nsec - mono.tv_nsec;
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
            c->port.counts.overflow++;
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

/* One frame, if there is one. */
static bool take(struct can_rtdm *c, int64_t now_ns, int64_t ahead_ns, struct can_msg *m)
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
    m->time_ns = (int64_t)stamp_ns - ahead_ns;
    if (message.msg_controllen != sizeof stamp_ns || m->time_ns > now_ns + stamp_range_ns ||
        m->time_ns < now_ns - stamp_range_ns) {
        m->time_ns = now_ns;
        c->port.counts.unstamped++;
    }
    take_frame(c, &f, m);
    return true;
}

static int rtdm_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct can_rtdm *c = (struct can_rtdm *)port;
    int n = 0, most = max < CAN_BATCH ? max : CAN_BATCH;
    int64_t ahead_ns = real_ahead_ns();
    while (n < most && take(c, now_ns, ahead_ns, &msgs[n]))
        n++;
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
}

static void rtdm_close(struct can_port *port)
{
    struct can_rtdm *c = (struct can_rtdm *)port;
    (void)__RT(close(c->socket));
    free(c);
}

static const struct can_ops ops = {.name = "rtdm",
                                   .send = rtdm_send,
                                   .receive = rtdm_receive,
                                   .service = rtdm_service,
                                   .close = rtdm_close};

int can_core_open(struct can_port **port, const char *interface, bool fd, struct err *e)
{
    *port = NULL;
    if (fd)
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
    atomic_init(&c->polled, NOT_POLLED);
    c->socket = __RT(socket(PF_CAN, SOCK_RAW, CAN_RAW));
    int bad =
        c->socket < 0 ? fail(e, errno, interface, "no socket of RT-Socket-CAN") : set_up(c, e);
    if (bad) {
        if (c->socket >= 0)
            (void)__RT(close(c->socket));
        free(c);
        return bad;
    }
    *port = &c->port;
    return 0;
}
