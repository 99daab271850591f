#include "target/io/can_replay.h"

#include "shared/base/file.h"
#include "shared/can/candump.h"
#include "shared/can/frame.h"
#include "target/io/can_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay_port {
    struct can_port port;
    struct can_msg *frames; /* times since the first frame of the log */
    size_t count, room, next;
    bool started;
    int64_t start_ns;
};

static int replay_send(struct can_port *port, const struct can_msg *msgs, int n)
{
    int taken = 0;
    for (int i = 0; i < n; i++) {
        if (can_frame_valid(&msgs[i], port->fd))
            taken++;
        else
            port->counts.failed++;
    }
    port->counts.sent += (uint64_t)taken;
    return taken;
}

static int replay_receive(struct can_port *port, int64_t now_ns, struct can_msg *msgs, int max)
{
    struct replay_port *r = (struct replay_port *)port;
    int n = 0;
    if (max > CAN_BATCH)
        max = CAN_BATCH;
    if (!r->started) {
        r->started = true;
        r->start_ns = now_ns;
    }
    while (n < max && r->next < r->count && r->frames[r->next].time_ns <= now_ns - r->start_ns) {
        struct can_msg *m = &msgs[n++];
        *m = r->frames[r->next++];
        m->time_ns += r->start_ns;
        m->bus = port->bus;
        if (m->flags & CAN_MSG_ERROR) {
            port->counts.error_frames++;
            can_state_enter(port, can_state_after_error(m, port->state));
        } else {
            port->counts.received++;
            can_state_alive(port);
        }
    }
    return n;
}

static void replay_close(struct can_port *port)
{
    free(((struct replay_port *)port)->frames);
    free(port);
}

static const struct can_ops replay_ops = {
    .name = "replay", .send = replay_send, .receive = replay_receive, .close = replay_close};

static int keep(struct replay_port *r, const struct can_msg *msg, int64_t time_ns)
{
    if (r->count == r->room) {
        const size_t room = r->room > 0 ? 2 * r->room : 1024;
        struct can_msg *more = realloc(r->frames, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        r->frames = more;
        r->room = room;
    }
    struct can_msg *m = &r->frames[r->count];
    *m = *msg;
    /* Logs of several interfaces are not always in order; time never goes back. */
    m->time_ns = r->count > 0 && time_ns < m[-1].time_ns ? m[-1].time_ns : time_ns;
    r->count++;
    return 0;
}

/* Where a log begins, and what of it is wanted. */
struct reading {
    const struct can_replay_setup *setup;
    bool begun;
    int64_t begin_ns;
    size_t number; /* of the line */
};

static int read_line(struct replay_port *r, struct reading *at, const char *text, size_t length,
                     struct err *e)
{
    struct candump_line line;
    const int rc = candump_parse(text, length, &line);
    if (rc == 1)
        return 0;
    if (rc)
        return err_set(e, -EINVAL, "%s:%zu:%zu: %s", at->setup->path, at->number, line.column,
                       line.what);
    if (!at->begun) {
        at->begun = true;
        at->begin_ns = line.msg.time_ns;
    }
    if ((line.msg.flags & CAN_MSG_OWN) != 0 ||
        (at->setup->name && strcmp(at->setup->name, line.name) != 0))
        return 0;
    return keep(r, &line.msg, line.msg.time_ns - at->begin_ns)
               ? err_set(e, -ENOMEM, "%s: no memory for so long a log", at->setup->path)
               : 0;
}

static int read_log(struct replay_port *r, const struct can_replay_setup *setup, struct err *e)
{
    struct reading at = {.setup = setup};
    FILE *f;
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    int bad = file_open_stream(setup->path, &f);
    if (bad)
        return err_set(e, bad, "%s: %s", setup->path, file_why(bad));
    while (!bad && (length = getline(&text, &room, f)) >= 0) {
        at.number++;
        bad = read_line(r, &at, text, (size_t)length, e);
    }
    if (!bad && ferror(f))
        bad = err_set(e, -EIO, "%s: cannot be read", setup->path);
    free(text);
    (void)fclose(f);
    if (!bad && r->count == 0)
        bad = err_set(e, -EINVAL, "%s: no received frame%s%s", setup->path,
                      setup->name ? " of interface " : "", setup->name ? setup->name : "");
    return bad;
}

int can_replay_open(struct can_port **port, const struct can_replay_setup *setup, struct err *e)
{
    *port = NULL;
    struct replay_port *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(e, -ENOMEM, "replay: no memory");
    r->port = (struct can_port){.ops = &replay_ops, .descriptor = -1, .fd = true};
    const int bad = read_log(r, setup, e);
    if (bad) {
        replay_close(&r->port);
        return bad;
    }
    *port = &r->port;
    return 0;
}

size_t can_replay_left(const struct can_port *port)
{
    const struct replay_port *r = (const struct replay_port *)port;
    return r->count - r->next;
}
