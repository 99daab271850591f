#include "shim_can_cobalt.h"

#include "shim_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SOCKETS = 8, FIRST = 1000, SFF_MOST = CAN_SFF_MASK - 16 };

enum { FILTERS = 16 };

struct socket {
    atomic_bool open;
    bool stamps;
    int interface; /* index, from 1; 0: not bound */
    can_err_mask_t errors;
    struct can_filter filters[FILTERS];
    int filter_count; /* 0: all */
    nanosecs_rel_t timeout_ns;
    uint32_t lost; /* the ring was full */
    struct {
        struct can_frame frame;
        nanosecs_abs_t stamp_ns;
        int64_t ready_ns; /* not before it has been on the wire */
    } ring[SHIM_CAN_RING];
    atomic_uint head, tail; /* with two sockets each ring has one writer: no lock is needed */
};

struct controllers {
    struct socket sockets[SOCKETS];
    int states[SHIM_CAN_INTERFACES];
    int64_t wire_ns;
    _Atomic int64_t in_flight_ns[SHIM_CAN_INTERFACES]; /* until then the controller is busy */
    _Atomic int64_t bus_ns;                            /* and the bus */
};

static struct controllers own, *shared = &own;
static int violations;

/* Several processes on one bus: through a file that SHIM_CAN_FILE names. */
static struct socket *all(void)
{
    const char *path = getenv("SHIM_CAN_FILE");
    if (shared != &own || !path)
        return shared->sockets;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof own))
        abort();
    void *memory = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (memory == MAP_FAILED)
        abort();
    shared = memory;
    const char *wire_us = getenv("SHIM_CAN_WIRE_US");
    shared->wire_ns = wire_us ? 1000 * strtol(wire_us, NULL, 10) : 0;
    return shared->sockets;
}

void shim_can_wire_ns(int64_t wire_ns)
{
    shared->wire_ns = wire_ns;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct socket *find(int fd)
{
    struct socket *s = fd >= FIRST && fd < FIRST + SOCKETS ? &all()[fd - FIRST] : NULL;
    return s && s->open ? s : NULL;
}

static int refuse(int error)
{
    errno = error;
    return -1;
}

void shim_can_state(int interface, int state)
{
    shared->states[interface] = state;
}

int shim_can_violations(void)
{
    return violations;
}

static bool wanted(const struct socket *s, const struct can_frame *f)
{
    if (f->can_id & CAN_ERR_FLAG)
        return (f->can_id & s->errors & CAN_ERR_MASK) != 0;
    for (int i = 0; i < s->filter_count; i++)
        if ((f->can_id & s->filters[i].can_mask) == s->filters[i].can_id)
            return true;
    return s->filter_count == 0;
}

/* Arrives at ready_ns. */
static void put(struct socket *s, const struct can_frame *frame, int64_t ready_ns)
{
    if (!wanted(s, frame))
        return;
    if (s->head - s->tail == SHIM_CAN_RING) {
        s->lost++;
        return;
    }
    const unsigned at = s->head % SHIM_CAN_RING;
    s->ring[at].frame = *frame;
    s->ring[at].ready_ns = ready_ns;
    s->ring[at].stamp_ns =
        (nanosecs_abs_t)(clock_ns(CLOCK_REALTIME) + ready_ns - clock_ns(CLOCK_MONOTONIC));
    s->head++;
}

void shim_can_deliver(int interface, const struct can_frame *frame)
{
    struct socket *s = all();
    for (int i = 0; i < SOCKETS; i++)
        if (s[i].open && s[i].interface == interface + 1)
            put(&s[i], frame, clock_ns(CLOCK_MONOTONIC));
}

/* The file is gone when it is closed; whoever asked for it reads it before the next. */
static FILE *list_begin(char *path, size_t size)
{
    static FILE *file;
    if (file)
        (void)fclose(file);
    file = tmpfile();
    if (!file)
        abort();
    (void)snprintf(path, size, "/proc/self/fd/%d", fileno(file));
    return file;
}

const char *shim_can_devices(void)
{
    static char path[64];
    FILE *file = list_begin(path, sizeof path);
    fprintf(file, "Name___________ _Baudrate State___ TX_Counter RX_Counter ____Errors\n");
    (void)all();
    for (int i = 0; i < SHIM_CAN_INTERFACES && !shim_core_is("no-can"); i++)
        fprintf(file, "rtcan%-10d %9d %-8s %10d %10d %10d\n", i, 500000,
                shared->states[i] >= CAN_STATE_BUS_OFF ? "stopped" : "active", 0, 0, 0);
    (void)fflush(file);
    return path;
}

const char *shim_can_sockets(void)
{
    static char path[64];
    FILE *file = list_begin(path, sizeof path);
    fprintf(file, "Name___________ Filter ErrMask RX_Timeout_ns TX_Timeout_ns RX_BufFull TX_Lo\n");
    for (int i = 0; i < SOCKETS; i++) {
        const struct socket *s = &all()[i];
        if (s->open && s->interface > 0)
            fprintf(file, "rtcan%-10d %6d 0x%05x %13s %13lld %10d %5d\n", s->interface - 1,
                    s->filter_count, s->errors, "infinite", (long long)s->timeout_ns, (int)s->lost,
                    0);
    }
    (void)fflush(file);
    return path;
}

int __cobalt_socket(int family, int type, int protocol)
{
    if (shim_core_is("no-can"))
        return dup(STDIN_FILENO); /* a descriptor of Linux, as the real one falls back to */
    if (family != PF_CAN || type != SOCK_RAW || protocol != CAN_RAW)
        return refuse(EPROTONOSUPPORT);
    struct socket *s = all();
    for (int i = 0; i < SOCKETS; i++)
        if (!atomic_exchange(&s[i].open, true)) {
            s[i].stamps = false;
            s[i].interface = 0;
            s[i].errors = 0;
            s[i].filter_count = 0;
            s[i].timeout_ns = 0;
            s[i].lost = 0;
            s[i].tail = s[i].head;
            return FIRST + i;
        }
    return refuse(ENOMEM);
}

int __cobalt_close(int fd)
{
    struct socket *s = find(fd);
    if (!s)
        return close(fd);
    s->open = false;
    return 0;
}

int __cobalt_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    struct socket *s = find(fd);
    struct sockaddr_can a;
    memset(&a, 0, sizeof a);
    memcpy(&a, address, size < sizeof a ? size : sizeof a);
    if (!s || a.can_ifindex < 1 || a.can_ifindex > SHIM_CAN_INTERFACES)
        return refuse(ENODEV);
    s->interface = a.can_ifindex;
    return 0;
}

int __cobalt_setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    struct socket *s = find(fd);
    if (s && level == SOL_CAN_RAW && option == CAN_RAW_FILTER && size > 0 &&
        size <= sizeof s->filters && size % sizeof s->filters[0] == 0) {
        memcpy(s->filters, value, size);
        s->filter_count = (int)(size / sizeof s->filters[0]);
        return 0;
    }
    if (!s || level != SOL_CAN_RAW || option != CAN_RAW_ERR_FILTER || size != sizeof s->errors)
        return refuse(EINVAL);
    memcpy(&s->errors, value, sizeof s->errors);
    return 0;
}

static int device_request(unsigned request, struct can_ifreq *r)
{
    int interface = r->ifr_ifrn.ifrn_name[5] - '0';
    if (strncmp(r->ifr_ifrn.ifrn_name, "rtcan", 5) != 0 || interface < 0 ||
        interface >= SHIM_CAN_INTERFACES)
        return refuse(ENODEV);
    if (request == SIOCGIFINDEX)
        r->ifr_ifru.ifru_ivalue = interface + 1;
    else
        r->ifr_ifru.state = shared->states[interface];
    return 0;
}

int __cobalt_ioctl(int fd, unsigned request, ...)
{
    struct socket *s = find(fd);
    va_list arguments;
    va_start(arguments, request);
    void *data = va_arg(arguments, void *);
    va_end(arguments);
    violations += shim_realtime();
    shim_switch(SHIM_SYSCALL); /* drivers of CAN serve it in Linux */
    if (!s)
        return refuse(ENOTTY);
    switch (request) {
    case RTIOC_DEVICE_INFO:
        *(struct rtdm_device_info *)data =
            (struct rtdm_device_info){.device_class = RTDM_CLASS_CAN};
        return 0;
    case RTCAN_RTIOC_TAKE_TIMESTAMP:
        s->stamps = (long)data == RTCAN_TAKE_TIMESTAMPS;
        return 0;
    case RTCAN_RTIOC_SND_TIMEOUT:
        memcpy(&s->timeout_ns, data, sizeof s->timeout_ns);
        return 0;
    case SIOCGIFINDEX:
    case SIOCGCANSTATE:
        return device_request(request, data);
    default:
        return refuse(EOPNOTSUPP);
    }
}

/* Until the controller has no frame in flight. Returns 0 or a positive error. */
static int wait_for_controller(const struct socket *s, int flags)
{
    const int64_t until_ns = clock_ns(CLOCK_MONOTONIC) + s->timeout_ns;
    for (;;) {
        if (shared->states[s->interface - 1] >= CAN_STATE_BUS_OFF)
            return ENETDOWN;
        const int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        int64_t free_ns = atomic_load(&shared->in_flight_ns[s->interface - 1]);
        if (shim_core_is("can-full"))
            free_ns = INT64_MAX;
        if (now_ns >= free_ns)
            return 0;
        if (flags & MSG_DONTWAIT)
            return EAGAIN;
        if (now_ns >= until_ns)
            return ETIMEDOUT;
        shim_sleep_until_ns(free_ns < until_ns ? free_ns : until_ns);
    }
}

/* Takes the bus for one frame. Returns when it has arrived. */
static int64_t take_bus_ns(int interface)
{
    int64_t free_ns = atomic_load(&shared->bus_ns), end_ns;
    do {
        const int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        end_ns = (free_ns > now_ns ? free_ns : now_ns) + shared->wire_ns;
    } while (!atomic_compare_exchange_weak(&shared->bus_ns, &free_ns, end_ns));
    atomic_store(&shared->in_flight_ns[interface], end_ns);
    return end_ns;
}

ssize_t __cobalt_send(int fd, const void *data, size_t size, int flags)
{
    struct socket *s = find(fd);
    struct can_frame f;
    if (!s || size != sizeof f || (flags & ~MSG_DONTWAIT))
        return refuse(EINVAL);
    if (shim_wait_begins())
        return refuse(EPERM); /* the real driver serves threads of the core only */
    memcpy(&f, data, sizeof f);
    if (f.can_dlc > 15 || (!(f.can_id & CAN_EFF_FLAG) && (f.can_id & CAN_EFF_MASK) > SFF_MOST))
        return refuse(EINVAL);
    const int error = wait_for_controller(s, flags);
    if (error)
        return refuse(error);
    const int64_t end_ns = take_bus_ns(s->interface - 1);
    struct socket *others = all();
    for (int i = 0; i < SOCKETS; i++)
        if (others[i].open && others[i].interface > 0 && &others[i] != s)
            put(&others[i], &f, end_ns);
    return (ssize_t)size;
}

ssize_t __cobalt_recvmsg(int fd, struct msghdr *message, int flags)
{
    struct socket *s = find(fd);
    if (!s || flags != MSG_DONTWAIT || message->msg_iovlen != 1 ||
        message->msg_iov->iov_len < sizeof(struct can_frame))
        return refuse(EINVAL);
    if (s->stamps && message->msg_controllen < sizeof(nanosecs_abs_t))
        violations++; /* the real ring would be out of step from here on */
    if (s->head == s->tail)
        return refuse(EAGAIN);
    unsigned at = s->tail % SHIM_CAN_RING;
    if (s->ring[at].ready_ns > clock_ns(CLOCK_MONOTONIC))
        return refuse(EAGAIN); /* still on the wire */
    memcpy(message->msg_iov->iov_base, &s->ring[at].frame, sizeof(struct can_frame));
    if (message->msg_controllen >= sizeof(nanosecs_abs_t) && s->stamps) {
        memcpy(message->msg_control, &s->ring[at].stamp_ns, sizeof(nanosecs_abs_t));
        message->msg_controllen = sizeof(nanosecs_abs_t);
    } else {
        message->msg_controllen = 0;
    }
    s->tail++;
    return sizeof(struct can_frame);
}
