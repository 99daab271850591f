#include "shim_can_cobalt.h"

#include "shim_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SOCKETS = 8, FIRST = 1000, SFF_MOST = CAN_SFF_MASK - 16 };

struct socket {
    atomic_bool open;
    bool stamps;
    int interface; /* index, from 1; 0: not bound */
    can_err_mask_t errors;
    struct {
        struct can_frame frame;
        nanosecs_abs_t stamp_ns;
    } ring[SHIM_CAN_RING];
    atomic_uint head, tail; /* with two sockets each ring has one writer: no lock is needed */
};

struct controllers {
    struct socket sockets[SOCKETS];
    int states[SHIM_CAN_INTERFACES];
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
    return shared->sockets;
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

static void put(struct socket *s, const struct can_frame *frame)
{
    struct timespec t;
    if (s->head - s->tail == SHIM_CAN_RING)
        return;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    s->ring[s->head % SHIM_CAN_RING].frame = *frame;
    s->ring[s->head % SHIM_CAN_RING].stamp_ns =
        (nanosecs_abs_t)t.tv_sec * 1000000000u + (nanosecs_abs_t)t.tv_nsec;
    s->head++;
}

void shim_can_deliver(int interface, const struct can_frame *frame)
{
    bool error = (frame->can_id & CAN_ERR_FLAG) != 0;
    struct socket *s = all();
    for (int i = 0; i < SOCKETS; i++)
        if (s[i].open && s[i].interface == interface + 1 &&
            (!error || (frame->can_id & s[i].errors & CAN_ERR_MASK)))
            put(&s[i], frame);
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
    case SIOCGIFINDEX:
    case SIOCGCANSTATE:
        return device_request(request, data);
    default:
        return refuse(EOPNOTSUPP);
    }
}

ssize_t __cobalt_send(int fd, const void *data, size_t size, int flags)
{
    struct socket *s = find(fd);
    struct can_frame f;
    if (!s || size != sizeof f || flags != MSG_DONTWAIT)
        return refuse(EINVAL);
    memcpy(&f, data, sizeof f);
    if (f.can_dlc > 15 || (!(f.can_id & CAN_EFF_FLAG) && (f.can_id & CAN_EFF_MASK) > SFF_MOST))
        return refuse(EINVAL);
    if (shared->states[s->interface - 1] >= CAN_STATE_BUS_OFF)
        return refuse(ENETDOWN);
    if (shim_core_is("can-full"))
        return refuse(EAGAIN);
    struct socket *others = all();
    for (int i = 0; i < SOCKETS; i++)
        if (others[i].open && others[i].interface > 0 && &others[i] != s)
            put(&others[i], &f);
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
