/* Commands to targets: a session with each, one command at a time, repeated until it is answered;
 * driving without repetition, since the next input is better than the last one. */
#include "host/host.h"
#include "shared/base/time.h"
#include "shared/wire/telemetry_seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t hello_ns = 200 * NS_PER_MS, repeat_ns = 100 * NS_PER_MS;
static const int64_t drive_over_ns = 2 * NS_PER_S;
static const int64_t keep_ns = 2 * NS_PER_S; /* between words to a target that was asked */
static const int64_t hold_ns = 3 * NS_PER_S; /* between renewals of a page's lease */
enum { TRIES = 20 };

static void wake(const struct host *h)
{
    const uint64_t one = 1;
    (void)!write(h->wake, &one, sizeof one);
}

static bool is_stop(const struct host_command *c)
{
    return strcmp(c->line, "safe") == 0;
}

bool host_command(struct host *h, const struct host_command *c)
{
    (void)pthread_mutex_lock(&h->lock);
    int at = is_stop(c) ? 0 : h->queued;
    bool room = h->queued < HOST_COMMANDS + (is_stop(c) ? HOST_STOPS : 0);
    if (room) {
        memmove(&h->queue[at + 1], &h->queue[at], (size_t)(h->queued - at) * sizeof h->queue[0]);
        h->queue[at] = *c;
        h->queued++;
    }
    (void)pthread_mutex_unlock(&h->lock);
    if (room)
        wake(h);
    return room;
}

void host_name_page(const struct host *h, uint32_t page, char who[TELEMETRY_WHO])
{
    if (page == 0)
        (void)snprintf(who, TELEMETRY_WHO, "host@%s", h->own_name);
    else
        (void)snprintf(who, TELEMETRY_WHO, "page%" PRIu32 "@%s", page % 100000000u, h->own_name);
}

static bool is_open(const struct host *h, uint32_t page)
{
    return page != 0 && h->is_open && h->is_open(h->reply_self, page);
}

/* Under the lock of the target: whether somebody else commands it. A page of this host that was
 * closed does not, even if the target does not know yet. */
static bool is_held(const struct host *h, const struct host_target *t, uint32_t page)
{
    char who[TELEMETRY_WHO];
    const char *holder = t->has_status ? t->status.holder : "";
    uint32_t other = 0;
    host_name_page(h, page, who);
    if (holder[0] == '\0' || strcmp(holder, who) == 0)
        return false;
    if (strncmp(holder, "page", 4) == 0)
        other = (uint32_t)strtoul(holder + 4, NULL, 10);
    host_name_page(h, other, who);
    return other == 0 || strcmp(holder, who) != 0 || is_open(h, other);
}

const char *host_drive(struct host *h, int target, uint32_t page, const struct telemetry_drive *d)
{
    struct host_target *t = &h->target[target];
    const char *why = NULL;
    int64_t now_ns = host_now_ns();
    if (!h->has_key)
        return "the host has no key";
    (void)pthread_mutex_lock(&t->lock);
    struct host_drive *drive = &t->drive;
    if (drive->page != 0 && drive->page != page && is_open(h, drive->page) &&
        now_ns - drive->at_ns < drive_over_ns) {
        why = "another page drives this car";
    } else if (is_held(h, t, page)) {
        why = "another page or socket holds the bench: take it over first";
    } else {
        drive->page = d->drives ? page : 0;
        drive->by = page;
        drive->at_ns = now_ns;
        drive->input = *d;
        drive->fresh = true;
    }
    (void)pthread_mutex_unlock(&t->lock);
    if (!why)
        wake(h);
    return why;
}

static void answer(struct host *h, const struct host_command *c, bool ok, const char *text)
{
    if (h->reply && c->page != 0)
        h->reply(h->reply_self, c, ok, text);
}

/* ---- the session */

static void say_hello(struct host *h, struct host_target *t)
{
    struct telemetry_header header = {.magic = TELEMETRY_MAGIC,
                                      .version = TELEMETRY_VERSION,
                                      .kind = TELEMETRY_HELLO,
                                      .run = t->run,
                                      .table = t->table};
    struct telemetry_hello hello = {0};
    if (!t->session.asked)
        seal_random(t->session.nonce, sizeof t->session.nonce);
    t->session.asked = true;
    memcpy(hello.host, t->session.nonce, sizeof hello.host);
    (void)memcpy(header.name, t->name, sizeof header.name);
    telemetry_seal(&h->key, &header, &hello);
    host_send(h, t, &header, &hello, sizeof hello);
}

static void take_challenge(struct host *h, struct host_target *t,
                           const struct telemetry_header *header, const void *packet)
{
    struct telemetry_hello hello;
    struct host_session *s = &t->session;
    memcpy(&hello, (const char *)packet + sizeof *header, sizeof hello);
    if (!h->has_key || s->made || !telemetry_is_sealed(&h->key, header, packet))
        return;
    /* Ours, or that of the question that found this target. */
    bool own = s->asked && memcmp(hello.host, s->nonce, SEAL_NONCE) == 0;
    for (int i = 0; i < h->setup.targets && !own; i++)
        own = memcmp(hello.host, h->hello_nonce[i], SEAL_NONCE) == 0;
    if (!own)
        return;
    memcpy(s->nonce, hello.host, SEAL_NONCE);
    seal_session(&h->key, t->run, hello.host, hello.target, &s->key);
    s->asked = s->made = true;
    s->commands = s->drives = 0;
}

static void take_reply(struct host *h, struct host_target *t, const struct telemetry_header *header,
                       const void *packet)
{
    struct telemetry_command c;
    struct host_session *s = &t->session;
    memcpy(&c, (const char *)packet + sizeof *header, sizeof c);
    if (!s->made || !s->busy || c.counter != s->commands ||
        !telemetry_is_sealed(&s->key, header, packet))
        return;
    s->busy = false;
    c.line[TELEMETRY_LINE - 1] = '\0';
    bool ok = strncmp(c.line, "ok", 2) == 0;
    const char *space = strchr(c.line, ' ');
    answer(h, &s->command, ok, space ? space + 1 : c.line);
}

void host_take_sealed(struct host *h, struct host_target *t, const struct telemetry_header *header,
                      const void *packet)
{
    if (header->kind == TELEMETRY_CHALLENGE)
        take_challenge(h, t, header, packet);
    else if (header->kind == TELEMETRY_REPLY)
        take_reply(h, t, header, packet);
}

/* ---- sending */

static void seal_and_send(struct host *h, struct host_target *t, uint8_t kind, void *body,
                          size_t bytes)
{
    struct telemetry_header header = {.magic = TELEMETRY_MAGIC,
                                      .version = TELEMETRY_VERSION,
                                      .kind = kind,
                                      .run = t->run,
                                      .table = t->table};
    memcpy(header.name, t->name, sizeof header.name);
    telemetry_seal(&t->session.key, &header, body);
    host_send(h, t, &header, body, bytes);
}

static uint64_t session_id(const struct host_session *s)
{
    uint64_t id;
    memcpy(&id, s->nonce, sizeof id);
    return id;
}

static void send_command(struct host *h, struct host_target *t, int64_t now_ns)
{
    struct host_session *s = &t->session;
    struct telemetry_command c = {.session = session_id(s), .counter = s->commands};
    memcpy(c.line, s->command.line, sizeof c.line);
    host_name_page(h, s->command.page ? s->command.page : s->command.as, c.who);
    s->sent_ns = now_ns;
    s->tries++;
    seal_and_send(h, t, TELEMETRY_COMMAND, &c, sizeof c);
}

static void send_drive(struct host *h, struct host_target *t)
{
    struct host_session *s = &t->session;
    (void)pthread_mutex_lock(&t->lock);
    struct telemetry_drive d = t->drive.input;
    uint32_t page = t->drive.by;
    bool fresh = t->drive.fresh;
    t->drive.fresh = false;
    (void)pthread_mutex_unlock(&t->lock);
    if (!fresh)
        return;
    d.session = session_id(s);
    d.counter = ++s->drives;
    t->held_for = page;
    host_name_page(h, page, d.who);
    seal_and_send(h, t, TELEMETRY_DRIVE, &d, sizeof d);
}

/* The next command for this target, out of the queue. */
static bool next_command(struct host *h, const struct host_target *t, struct host_command *out)
{
    bool found = false;
    (void)pthread_mutex_lock(&h->lock);
    for (int i = 0; i < h->queued && !found; i++) {
        if (h->queue[i].target != t->id)
            continue;
        *out = h->queue[i];
        found = true;
        h->queued--;
        memmove(&h->queue[i], &h->queue[i + 1], (size_t)(h->queued - i) * sizeof h->queue[0]);
    }
    (void)pthread_mutex_unlock(&h->lock);
    return found;
}

/* A target that was asked forgets hosts that say nothing. */
static bool is_asked(const struct host *h, const struct host_target *t)
{
    for (int i = 0; i < h->setup.targets; i++)
        if (h->setup.target[i].sin_addr.s_addr == t->at.sin_addr.s_addr &&
            h->setup.target[i].sin_port == t->at.sin_port)
            return true;
    return false;
}

/* The lease of the page that commanded last: renewed while the page is open, then given back. */
static bool renew_lease(struct host *h, struct host_target *t, int64_t now_ns)
{
    if (t->held_for == 0)
        return false;
    bool open = is_open(h, t->held_for);
    if (open && now_ns < t->hold_due_ns)
        return false;
    t->session.command = (struct host_command){.target = t->id, .as = t->held_for};
    (void)snprintf(t->session.command.line, sizeof t->session.command.line, "%s",
                   open ? "hold" : "release");
    t->hold_due_ns = now_ns + hold_ns;
    if (!open)
        t->held_for = 0; /* said once */
    return true;
}

/* A stop does not wait for the answer to what was sent before it. */
static void overtake(struct host *h, struct host_target *t)
{
    struct host_session *s = &t->session;
    bool stop = false;
    (void)pthread_mutex_lock(&h->lock);
    for (int i = 0; i < h->queued; i++)
        stop |= h->queue[i].target == t->id && is_stop(&h->queue[i]);
    (void)pthread_mutex_unlock(&h->lock);
    if (!stop || !s->busy || is_stop(&s->command))
        return;
    answer(h, &s->command, false, "a stop went first: see whether it was carried out");
    s->busy = false;
}

void host_tend_commands(struct host *h, struct host_target *t, int64_t now_ns)
{
    struct host_session *s = &t->session;
    struct host_command c;
    if (!h->has_key || t->lost || t->complete) {
        while (next_command(h, t, &c))
            answer(h, &c, false,
                   !h->has_key   ? "the host has no key"
                   : t->complete ? "the run has ended"
                                 : "the target is lost");
        return;
    }
    if (!s->made) {
        if (now_ns >= t->hello_due_ns) {
            t->hello_due_ns = now_ns + hello_ns * (s->tries < TRIES ? 1 : 10);
            s->tries++;
            say_hello(h, t);
        }
        if (s->tries > TRIES / 2)
            while (next_command(h, t, &c))
                answer(h, &c, false, "the target does not know this host's key");
        return;
    }
    if (t->held_for == 0 || is_open(h, t->held_for))
        send_drive(h, t); /* else the lease of the page before is given back first */
    overtake(h, t);
    if (s->busy && now_ns - s->sent_ns >= repeat_ns) {
        if (s->tries < TRIES) {
            send_command(h, t, now_ns);
        } else {
            answer(h, &s->command, false, "the target does not answer");
            *s = (struct host_session){0}; /* perhaps it knows this session no more: a new one */
            return;
        }
    }
    if (s->busy)
        return;
    bool wanted = next_command(h, t, &s->command);
    if (wanted && s->command.page != 0) {
        t->held_for = s->command.page;
        t->hold_due_ns = now_ns + hold_ns;
    }
    if (!wanted)
        wanted = renew_lease(h, t, now_ns);
    if (!wanted && is_asked(h, t) && now_ns - s->sent_ns >= keep_ns) {
        s->command = (struct host_command){.target = t->id, .line = "status"};
        wanted = true;
    }
    if (!wanted)
        return;
    s->busy = true;
    s->tries = 0;
    s->commands++;
    send_command(h, t, now_ns);
}
