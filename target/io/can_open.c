#include "target/io/can_open.h"

#include "shared/config/number.h"
#include "target/io/can_core.h"
#include "target/io/can_interface.h"
#include "target/io/can_replay.h"
#include "target/io/can_socket.h"
#include "target/io/can_udp.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char allowed[] = "allowed: socketcan:INTERFACE, rtdm:INTERFACE, "
                              "udp:OWN_PORT:PEER_PORT, udp:OWN_PORT:HOST:PEER_PORT, memory, "
                              "replay:FILE, replay:INTERFACE@FILE";
/* The demonstration's. */
enum { BENCH_PORT = 20100, UNIT_PORT = 20101, PORT_MAX = 65535 };

/* ---- the words */

static int parse_port(const char *text, size_t length, int *port)
{
    int64_t value;
    if (number_parse_int(text, length, &value) || value < 1 || value > PORT_MAX)
        return -EINVAL;
    *port = (int)value;
    return 0;
}

static int parse_udp(const char *text, const char *rest, struct can_spec *spec, struct err *e)
{
    const char *first = strchr(rest, ':'), *last = strrchr(rest, ':');
    if (!first)
        return err_set(e, -EINVAL, "CAN \"%s\": udp needs two ports; %s", text, allowed);
    if (parse_port(rest, (size_t)(first - rest), &spec->local_port) ||
        parse_port(last + 1, strlen(last + 1), &spec->peer_port))
        return err_set(e, -EINVAL, "CAN \"%s\": ports are whole numbers from 1 to %d; %s", text,
                       PORT_MAX, allowed);
    const int length = last > first ? (int)(last - first - 1) : 0;
    (void)snprintf(spec->host, sizeof spec->host, "%.*s", length, first + 1);
    if (length == 0)
        (void)snprintf(spec->host, sizeof spec->host, "127.0.0.1");
    return 0;
}

static int parse_replay(const char *text, const char *rest, struct can_spec *spec, struct err *e)
{
    const char *at = strchr(rest, '@'), *slash = strchr(rest, '/');
    if (at && (!slash || at < slash)) {
        (void)snprintf(spec->name, sizeof spec->name, "%.*s", (int)(at - rest), rest);
        rest = at + 1;
    }
    if (snprintf(spec->path, sizeof spec->path, "%s", rest) >= (int)sizeof spec->path)
        return err_set(e, -ENAMETOOLONG, "CAN \"%.60s...\": the name of the file is too long",
                       text);
    return rest[0] != '\0' ? 0 : err_set(e, -EINVAL, "CAN \"%s\": no file; %s", text, allowed);
}

int can_spec_parse(const char *text, struct can_spec *spec, struct err *e)
{
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    const char *rest = colon ? colon + 1 : "";
    *spec = (struct can_spec){0};
    if (strlen(text) >= CAN_SPEC_TEXT)
        return err_set(e, -EINVAL, "CAN: too long; %s", allowed);
    if (strcmp(text, "memory") == 0) {
        spec->kind = CAN_MEMORY;
        return 0;
    }
    if (length == 9 && strncmp(text, "socketcan", length) == 0) {
        spec->kind = CAN_SOCKETCAN;
        (void)snprintf(spec->name, sizeof spec->name, "%s", rest);
        if (rest[0] == '\0' || strlen(rest) >= IFNAMSIZ)
            return err_set(e, -EINVAL, "CAN \"%s\": an interface has a name of 1 to %d letters; %s",
                           text, IFNAMSIZ - 1, allowed);
        return 0;
    }
    if (length == 4 && strncmp(text, "rtdm", length) == 0) {
        spec->kind = CAN_RTDM;
        (void)snprintf(spec->name, sizeof spec->name, "%s", rest);
        return can_core_interface(rest)
                   ? 0
                   : err_set(e, -EINVAL,
                             "CAN \"%s\": interfaces of RT-Socket-CAN are rtcan0, "
                             "rtcan1 and so on; %s",
                             text, allowed);
    }
    if (length == 3 && strncmp(text, "udp", length) == 0) {
        spec->kind = CAN_UDP;
        return parse_udp(text, rest, spec, e);
    }
    if (length == 6 && strncmp(text, "replay", length) == 0) {
        spec->kind = CAN_REPLAY;
        return parse_replay(text, rest, spec, e);
    }
    return err_set(e, -EINVAL, "CAN \"%s\": %s", text, allowed);
}

/* ---- the transports */

static int open_transport(struct can_port **port, const struct can_spec *spec,
                          const struct can_open_setup *setup, struct err *e)
{
    switch (spec->kind) {
    case CAN_SOCKETCAN: {
        const struct can_socket_setup s = {.interface = spec->name,
                                           .ids = setup->ids,
                                           .id_count = setup->id_count,
                                           .sender = setup->sender,
                                           .confirm = setup->confirm};
        return can_socket_open(port, &s, e);
    }
    case CAN_RTDM:
        return can_core_open(port,
                             &(struct can_core_setup){.interface = spec->name,
                                                      .fd = setup->fd,
                                                      .ids = setup->ids,
                                                      .id_count = setup->id_count,
                                                      .sender = setup->sender},
                             e);
    case CAN_UDP: {
        const struct can_udp_setup s = {
            .local_port = spec->local_port, .host = spec->host, .peer_port = spec->peer_port};
        return can_udp_open(port, &s, e);
    }
    case CAN_REPLAY: {
        const struct can_replay_setup s = {.path = spec->path,
                                           .name = spec->name[0] ? spec->name : NULL};
        return can_replay_open(port, &s, e);
    }
    default:
        break;
    }
    *port = NULL;
    if (!setup->memory)
        return err_set(e, -EINVAL,
                       "CAN \"memory\": only on the simulated clock, where both ends are in one "
                       "process; use socketcan or udp");
    *port = can_memory_attach(setup->memory, setup->confirm);
    return *port
               ? 0
               : err_set(e, -ENOSPC, "CAN \"memory\": a bus has at most %d ends", CAN_MEMORY_PORTS);
}

int can_open(struct can_port **port, const char *text, const struct can_open_setup *setup,
             struct err *e)
{
    struct can_spec spec;
    struct can_port *transport = NULL;
    *port = NULL;
    int bad = can_spec_parse(text, &spec, e);
    if (!bad)
        bad = open_transport(&transport, &spec, setup, e);
    if (bad || !transport)
        return bad;
    transport->bus = setup->bus;
    transport->mute = setup->mute;
    if (setup->fd && !transport->fd) {
        transport->ops->close(transport);
        return err_set(e, -EINVAL,
                       "CAN \"%s\": the bench has FD frames on this bus, which it does "
                       "not carry (an interface: ip link set ... mtu 72 ... fd on)",
                       text);
    }
    /* Memory is one thread's, RT-Socket-CAN the real-time thread's: both need none. */
    if (setup->gateway && spec.kind != CAN_MEMORY && spec.kind != CAN_RTDM) {
        bad = can_gateway_open(port, transport, setup->gateway, e);
        if (bad)
            transport->ops->close(transport);
        return bad;
    }
    *port = transport;
    return 0;
}

/* ---- the demonstration's */

/* Whether an interface is only in the kernel: no device stands behind it. */
static bool is_virtual(const char *interface)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/sys/class/net/%s/device", interface);
    return access(path, F_OK) != 0;
}

void can_open_default(bool unit, bool fd, char *text, size_t size)
{
    if (!fd && can_core_default(unit, text, size))
        return;
    char names[256], *next = NULL;
    const char *first = NULL, *second = NULL;
    (void)can_interface_list(names, sizeof names, true);
    for (char *name = strtok_r(names, " ", &next); name; name = strtok_r(NULL, " ", &next)) {
        if (is_virtual(name)) {
            first = second = name;
            break;
        }
        if (!first)
            first = name;
        else if (!second)
            second = name;
    }
    if (first && second)
        (void)snprintf(text, size, "socketcan:%s", unit ? second : first);
    else
        (void)snprintf(text, size, "udp:%d:%d", unit ? UNIT_PORT : BENCH_PORT,
                       unit ? BENCH_PORT : UNIT_PORT);
}
