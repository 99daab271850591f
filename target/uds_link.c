#include "target/uds_link.h"

#include "shared/base/hex.h"
#include "shared/base/time.h"
#include "target/control.h"
#include "target/io/can_open.h"
#include "target/rt/rt.h"

#include <errno.h>
#include <linux/can.h>
#include <linux/can/isotp.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 3 /* a millisecond of a bus of 500 kbit/s */ };

struct uds_link {
    struct can_port *port;      /* own ISO-TP; else NULL */
    int socket;                 /* the kernel's; else -1 */
    char control[CONTROL_PATH]; /* socket of a run; else empty */
    char about[128];
    int64_t wait_ns;
    struct uds_tester tester;
};

static int64_t now_ns(void)
{
    return rt_posix.now_ns(NULL);
}

/* ---- the kernel's */

static canid_t kernel_id(uint32_t id)
{
    return id & CAN_ID_EXTENDED ? (id & CAN_ID_MASK) | CAN_EFF_FLAG : id;
}

static int open_kernel(struct uds_link *l, const char *interface, const struct uds_link_setup *s,
                       struct err *e)
{
    struct sockaddr_can at = {
        .can_family = AF_CAN,
        .can_addr.tp = {.rx_id = kernel_id(s->response_id), .tx_id = kernel_id(s->request_id)}};
    struct can_isotp_options options = {.flags = CAN_ISOTP_TX_PADDING | CAN_ISOTP_WAIT_TX_DONE,
                                        .txpad_content = ISOTP_PADDING};
    l->socket = socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, CAN_ISOTP);
    if (l->socket < 0)
        return err_set(e, -errno,
                       "the kernel has no ISO-TP (%s): modprobe can-isotp, or --isotp own",
                       strerror(errno));
    at.can_ifindex = (int)if_nametoindex(interface);
    if (at.can_ifindex == 0)
        return err_set(e, -ENODEV, "there is no interface \"%s\"", interface);
    if (setsockopt(l->socket, SOL_CAN_ISOTP, CAN_ISOTP_OPTS, &options, sizeof options) ||
        bind(l->socket, (struct sockaddr *)&at, sizeof at))
        return err_set(e, -errno, "ISO-TP of the kernel on %s: %s", interface, strerror(errno));
    (void)snprintf(l->about, sizeof l->about, "the kernel's ISO-TP on %.15s", interface);
    return 0;
}

static int ask_kernel(struct uds_link *l, const uint8_t *request, int length,
                      struct uds_reply *reply, struct err *e)
{
    struct uds_exchange x;
    struct pollfd fd = {.fd = l->socket, .events = POLLIN};
    while (recv(l->socket, reply->data, sizeof reply->data, MSG_DONTWAIT) >= 0)
        ; /* late answers to what was asked before */
    if (send(l->socket, request, (size_t)length, 0) != length)
        return err_set(e, -errno, "%s: the request cannot be sent: %s", l->about, strerror(errno));
    uds_exchange_begin(&x, request, length, now_ns(), l->wait_ns);
    while (x.result == UDS_WAITING) {
        if (poll(&fd, 1, 20) > 0) {
            ssize_t n = recv(l->socket, reply->data, sizeof reply->data, MSG_DONTWAIT);
            if (n > 0)
                uds_exchange_take(&x, reply->data, (int)n, now_ns());
            reply->length = n > 0 ? (int)n : 0;
        }
        uds_exchange_wait(&x, now_ns());
    }
    reply->result = (enum uds_result)x.result;
    reply->refusal = x.refusal;
    return 0;
}

/* ---- our own */

static int open_own(struct uds_link *l, const char *can, const struct uds_link_setup *s,
                    struct err *e)
{
    const struct can_open_setup setup = {.ids = &s->response_id, .id_count = 1};
    int bad = can_open(&l->port, can, &setup, e);
    if (bad)
        return bad;
    uds_tester_open(&l->tester, s->request_id, s->response_id);
    l->tester.setup.block_size = s->block_size;
    l->tester.setup.st_min = s->st_min;
    (void)snprintf(l->about, sizeof l->about, "own ISO-TP on %.100s", can);
    return 0;
}

static void exchange_frames(struct uds_link *l)
{
    struct can_msg in[CAN_BATCH], out[FRAMES];
    int64_t t_ns = now_ns();
    int n = l->port->ops->receive(l->port, t_ns, in, CAN_BATCH);
    for (int i = 0; i < n; i++)
        (void)uds_tester_take(&l->tester, &in[i], t_ns);
    n = uds_tester_poll(&l->tester, t_ns, out, FRAMES);
    if (n > 0)
        (void)l->port->ops->send(l->port, out, n); /* what is lost shows as silence */
}

static int ask_own(struct uds_link *l, const uint8_t *request, int length, struct uds_reply *reply,
                   struct err *e)
{
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    struct can_msg old[CAN_BATCH];
    while (l->port->ops->receive(l->port, now_ns(), old, CAN_BATCH) > 0)
        ;
    int bad = uds_tester_ask(&l->tester, request, length, now_ns(), l->wait_ns);
    if (bad)
        return err_set(e, bad, "a request has 1 to %d bytes", ISOTP_DATA);
    while (uds_tester_result(&l->tester) == UDS_WAITING) {
        exchange_frames(l);
        (void)nanosleep(&pause, NULL);
    }
    exchange_frames(l); /* a last flow control */
    reply->result = uds_tester_result(&l->tester);
    reply->refusal = l->tester.exchange.refusal;
    reply->length = l->tester.answer_length;
    memcpy(reply->data, l->tester.answer, (size_t)reply->length);
    return 0;
}

/* ---- through a run */

static int ask_run(struct uds_link *l, const uint8_t *request, int length, struct uds_reply *reply,
                   struct err *e)
{
    char line[CONTROL_LINE] = "uds ", answer[CONTROL_LINE];
    struct uds_exchange x;
    (void)hex_print(request, length, line + 4, sizeof line - 4);
    int bad = control_ask(l->control, line, answer, sizeof answer, e);
    if (bad)
        return bad;
    uds_exchange_begin(&x, request, length, 0, 0);
    if (strcmp(answer, "error the unit does not answer") == 0) {
        uds_exchange_wait(&x, 1);
    } else if (strncmp(answer, "ok", 2) != 0) {
        return err_set(e, -EPROTO, "%s: %s", l->control, answer);
    } else {
        int n = hex_parse(answer + 2, reply->data, ISOTP_DATA);
        reply->length = n > 0 ? n : 0;
        uds_exchange_take(&x, reply->data, reply->length, 0);
        uds_exchange_wait(&x, 1);
    }
    reply->result = (enum uds_result)x.result;
    reply->refusal = x.refusal;
    return 0;
}

/* ---- all */

static int open_bus(struct uds_link *l, const struct uds_link_setup *s, struct err *e)
{
    char words[CAN_SPEC_TEXT];
    struct can_spec spec;
    (void)snprintf(words, sizeof words, "%s", s->can);
    if (strcmp(s->can, "auto") == 0)
        can_open_default(false, true, words, sizeof words);
    int bad = can_spec_parse(words, &spec, e);
    if (bad)
        return bad;
    if (spec.kind == CAN_SOCKETCAN && s->isotp != UDS_ISOTP_OWN) {
        bad = open_kernel(l, spec.name, s, e);
        if (!bad || s->isotp == UDS_ISOTP_KERNEL)
            return bad;
        if (l->socket >= 0)
            (void)close(l->socket);
        l->socket = -1;
    }
    if (s->isotp == UDS_ISOTP_KERNEL)
        return err_set(e, -EINVAL, "CAN \"%s\": the kernel's ISO-TP needs socketcan:INTERFACE",
                       words);
    return open_own(l, words, s, e);
}

int uds_link_open(struct uds_link **link, const struct uds_link_setup *setup, struct err *e)
{
    struct uds_link *l = calloc(1, sizeof *l);
    *link = l;
    if (!l)
        return err_set(e, -ENOMEM, "out of memory");
    l->socket = -1;
    l->wait_ns = setup->wait_ns;
    if (strncmp(setup->can, "control:", 8) != 0)
        return open_bus(l, setup, e);
    if (strlen(setup->can + 8) >= sizeof l->control)
        return err_set(e, -ENAMETOOLONG, "%s: the path of a socket is shorter", setup->can + 8);
    (void)snprintf(l->control, sizeof l->control, "%s", setup->can + 8);
    (void)snprintf(l->about, sizeof l->about, "the run at %.100s", l->control);
    return 0;
}

void uds_link_close(struct uds_link *l)
{
    if (!l)
        return;
    if (l->port)
        l->port->ops->close(l->port);
    if (l->socket >= 0)
        (void)close(l->socket);
    free(l);
}

const char *uds_link_about(const struct uds_link *l)
{
    return l->about;
}

int uds_link_ask(struct uds_link *l, const uint8_t *request, int length, struct uds_reply *reply,
                 struct err *e)
{
    reply->length = 0;
    reply->refusal = 0;
    reply->result = UDS_SILENT;
    if (l->control[0] != '\0')
        return ask_run(l, request, length, reply, e);
    return l->port ? ask_own(l, request, length, reply, e)
                   : ask_kernel(l, request, length, reply, e);
}
