/* What hosts send: questions from those that get telemetry, and sealed packets from anybody who has
 * the key. */
#include "shared/base/time.h"
#include "shared/wire/telemetry_seal.h"
#include "target/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { TAKE_MAX = 64 };
static const int64_t idle_ns = 10 * NS_PER_S;

static struct publish_peer *peer_of(struct publish *p, const struct sockaddr_in *from)
{
    for (int i = 0; i < PUBLISH_PEERS; i++)
        if (p->peer[i].used && p->peer[i].at.sin_port == from->sin_port &&
            p->peer[i].at.sin_addr.s_addr == from->sin_addr.s_addr)
            return &p->peer[i];
    return NULL;
}

/* ---- questions */

static void answer_clock(struct publish *p, struct publish_peer *peer, const void *packet,
                         int64_t taken_ns)
{
    struct telemetry_header h = p->header;
    struct telemetry_clock c;
    memcpy(&c, (const char *)packet + sizeof h, sizeof c);
    h.kind = TELEMETRY_CLOCK;
    c.taken_ns = taken_ns;
    c.answered_ns = publish_now_ns();
    publish_send(p, peer, &h, &c, sizeof c);
}

/* The first number from there on that is in memory. */
static uint64_t next_kept(const struct publish *p, uint64_t number)
{
    const struct publish_history *h = &p->history;
    if (number + h->capacity < p->next)
        number = p->next - h->capacity;
    while (number < p->next && h->kept[number % h->capacity].number != number)
        number++;
    return number;
}

static void say_gone(struct publish *p, struct publish_peer *peer, uint64_t first, uint8_t flags)
{
    struct telemetry_header h = p->header;
    h.kind = TELEMETRY_GONE;
    h.flags = (uint8_t)(TELEMETRY_AGAIN | flags);
    h.first = first;
    publish_send(p, peer, &h, NULL, 0);
}

/* What is still looked for is asked for again. */
static void answer_records(struct publish *p, struct publish_peer *peer,
                           const struct telemetry_header *ask)
{
    struct loop_record batch[PUBLISH_BATCH];
    uint64_t end = ask->first + ask->count < p->next ? ask->first + ask->count : p->next;
    struct publish_list l = {.kind = TELEMETRY_RECORDS,
                             .flags = TELEMETRY_AGAIN,
                             .first = ask->first,
                             .each_bytes = sizeof batch[0],
                             .elements = batch};
    enum publish_found found = PUBLISH_FOUND;
    while (found == PUBLISH_FOUND && l.first < end) {
        l.count = 0;
        while (l.count < PUBLISH_BATCH && l.first + l.count < end &&
               (found = publish_history_get(&p->history, l.first + l.count, &batch[l.count])) ==
                   PUBLISH_FOUND)
            l.count++;
        if (l.count > 0)
            publish_send_list(p, peer, &l);
        l.first += l.count;
    }
    if (found == PUBLISH_GONE)
        say_gone(p, peer, next_kept(p, l.first + 1), 0);
}

static void answer_events(struct publish *p, struct publish_peer *peer,
                          const struct telemetry_header *ask)
{
    uint64_t oldest = p->event_next > PUBLISH_EVENTS ? p->event_next - PUBLISH_EVENTS : 0;
    uint64_t first = ask->first > oldest ? ask->first : oldest;
    if (ask->first < oldest)
        say_gone(p, peer, oldest, TELEMETRY_OF_EVENTS);
    for (uint32_t n = 0; n < ask->count && first < p->event_next; n++, first++)
        publish_send_list(p, peer,
                          &(struct publish_list){.kind = TELEMETRY_EVENTS,
                                                 .flags = TELEMETRY_AGAIN,
                                                 .first = first,
                                                 .count = 1,
                                                 .each_bytes = sizeof p->kept[0],
                                                 .elements = &p->kept[first % PUBLISH_EVENTS]});
}

static void answer(struct publish *p, struct publish_peer *peer, const struct telemetry_header *h,
                   const void *packet)
{
    int64_t now_ns = publish_now_ns();
    if (h->kind != TELEMETRY_ASK_CLOCK && h->run != p->header.run)
        return; /* of another run */
    peer->heard_ns = now_ns;
    switch (h->kind) {
    case TELEMETRY_ASK_CLOCK:
        answer_clock(p, peer, packet, now_ns);
        break;
    case TELEMETRY_ASK_BLOB:
        if (h->first < TELEMETRY_BLOBS)
            p->blob_again[h->first] = true;
        p->asked_ns = now_ns;
        break;
    case TELEMETRY_ASK_RECORDS:
        p->asked_ns = now_ns;
        answer_records(p, peer, h);
        break;
    case TELEMETRY_ASK_EVENTS:
        p->asked_ns = now_ns;
        answer_events(p, peer, h);
        break;
    case TELEMETRY_DONE:
        peer->done = true;
        break;
    default:
        break;
    }
}

/* ---- sealed packets */

/* A place for a new session: a free one, else the oldest unproven, else the oldest that has been
 * quiet for long. Somebody who only repeats old hellos does not displace a host at work. */
static struct publish_session *session_place(struct publish *p, int64_t now_ns)
{
    struct publish_session *oldest = NULL;
    for (int i = 0; i < PUBLISH_SESSIONS; i++) {
        struct publish_session *s = &p->session[i];
        if (!s->used)
            return s;
        if (s->proven && now_ns - s->heard_ns < idle_ns)
            continue;
        if (!oldest || (oldest->proven && !s->proven) ||
            (oldest->proven == s->proven && s->heard_ns < oldest->heard_ns))
            oldest = s;
    }
    return oldest;
}

static struct publish_session *session_of_nonce(struct publish *p, const uint8_t host[SEAL_NONCE])
{
    for (int i = 0; i < PUBLISH_SESSIONS; i++)
        if (p->session[i].used && memcmp(p->session[i].host, host, SEAL_NONCE) == 0)
            return &p->session[i];
    return NULL;
}

static void send_back(struct publish *p, const struct sockaddr_in *from,
                      const struct telemetry_header *h, const void *body, size_t bytes)
{
    struct publish_peer *peer = peer_of(p, from), stranger = {.at = *from};
    publish_send(p, peer ? peer : &stranger, h, body, bytes);
}

static void take_hello(struct publish *p, const struct sockaddr_in *from,
                       const struct telemetry_header *h, const void *packet)
{
    struct telemetry_hello hello;
    int64_t now_ns = publish_now_ns();
    if (!publish_need_key(p) || !telemetry_is_sealed(&p->key, h, packet)) {
        p->rejected++;
        return;
    }
    memcpy(&hello, (const char *)packet + sizeof *h, sizeof hello);
    struct publish_peer *peer = peer_of(p, from);
    if (peer)
        peer->heard_ns = now_ns; /* at the end it is waited for */
    struct publish_session *s = session_of_nonce(p, hello.host);
    if (!s) {
        s = session_place(p, now_ns);
        if (!s)
            return;
        *s = (struct publish_session){.used = true, .heard_ns = now_ns};
        memcpy(s->host, hello.host, SEAL_NONCE);
        memcpy(&s->id, hello.host, sizeof s->id);
        seal_random(s->target, sizeof s->target);
        seal_session(&p->key, p->header.run, s->host, s->target, &s->key);
    }
    struct telemetry_header back = p->header;
    back.kind = TELEMETRY_CHALLENGE;
    memcpy(hello.target, s->target, SEAL_NONCE);
    telemetry_seal(&p->key, &back, &hello);
    send_back(p, from, &back, &hello, sizeof hello);
}

/* Whoever has proven a session gets telemetry as well. */
static void become_peer(struct publish *p, const struct sockaddr_in *from)
{
    if (p->connected || peer_of(p, from))
        return;
    for (int i = 0; i < PUBLISH_PEERS; i++)
        if (!p->peer[i].used) {
            p->peer[i] = (struct publish_peer){.at = *from, .used = true};
            return;
        }
}

static struct publish_session *session_for(struct publish *p, const struct sockaddr_in *from,
                                           const struct telemetry_header *h, const void *packet)
{
    uint64_t id;
    memcpy(&id, (const char *)packet + sizeof *h, sizeof id);
    for (int i = 0; i < PUBLISH_SESSIONS; i++) {
        struct publish_session *s = &p->session[i];
        if (!s->used || s->id != id || !telemetry_is_sealed(&s->key, h, packet))
            continue;
        struct publish_peer *peer;
        s->proven = true;
        s->heard_ns = publish_now_ns();
        become_peer(p, from);
        peer = peer_of(p, from);
        if (peer)
            peer->heard_ns = s->heard_ns;
        return s;
    }
    p->rejected++;
    return NULL;
}

static void reply(struct publish *p, const struct sockaddr_in *from,
                  const struct publish_session *s)
{
    struct telemetry_header h = p->header;
    struct telemetry_command c = s->reply;
    h.kind = TELEMETRY_REPLY;
    telemetry_seal(&s->key, &h, &c);
    send_back(p, from, &h, &c, sizeof c);
}

/* Takes the line of a new command; its answer is in s->reply, or comes later. */
static void begin_command(struct publish *p, const struct sockaddr_in *from,
                          struct publish_session *s, const struct telemetry_command *c)
{
    char who[TELEMETRY_WHO], line[TELEMETRY_LINE], *answer = s->reply.line;
    const size_t size = sizeof s->reply.line;
    struct publish_pending wait = {.session = s, .id = s->id, .counter = c->counter, .at = *from};
    memcpy(who, c->who, sizeof who);
    memcpy(line, c->line, sizeof line);
    who[TELEMETRY_WHO - 1] = line[TELEMETRY_LINE - 1] = '\0';
    const struct command_from who_asks = {who, loop_live_for_host(p->loop)};
    bool safe = command_is_safe(line);
    if (!lease_name_is_good(who))
        (void)snprintf(who, sizeof who, "%s", safe ? "host" : "");
    if (who[0] == '\0') {
        (void)snprintf(answer, size, "error the host does not say who asks");
    } else if (control_uds_is(line)) {
        if (control_uds_begin(&p->uds, p->diagnosis, line, answer, size))
            p->uds_from = wait;
    } else if (p->pending_count == PUBLISH_PENDING && !safe) {
        (void)snprintf(answer, size, "error too many requests are on their way; try again");
    } else if (commands_begin(p->room, &who_asks, line, &wait.ticket, answer, size)) {
        if (p->pending_count < PUBLISH_PENDING)
            p->pending[p->pending_count++] = wait;
        else
            (void)snprintf(answer, size,
                           "error too many requests are on their way: the safe state "
                           "is entered all the same, but nobody confirms it");
    }
}

/* Done once: the same counter again is a repetition, which gets the same answer; a lower one is an
 * old packet. */
static void take_command(struct publish *p, const struct sockaddr_in *from,
                         const struct telemetry_header *h, const void *packet)
{
    struct telemetry_command c;
    struct publish_session *s = session_for(p, from, h, packet);
    memcpy(&c, (const char *)packet + sizeof *h, sizeof c);
    if (!s || c.counter < s->commands || c.counter == 0) {
        p->rejected += s != NULL;
        return;
    }
    if (c.counter > s->commands) {
        s->commands = c.counter;
        s->reply = (struct telemetry_command){.session = c.session, .counter = c.counter};
        p->commands++;
        begin_command(p, from, s, &c);
    }
    if (s->reply.line[0] != '\0')
        reply(p, from, s);
}

/* Unless the host has given it up. */
static void reply_later(struct publish *p, const struct publish_pending *w, const char *text)
{
    struct publish_session *s = w->session;
    if (s->id != w->id || s->commands != w->counter)
        return;
    (void)snprintf(s->reply.line, sizeof s->reply.line, "%s", text);
    reply(p, &w->at, s);
}

void publish_answer_pending(struct publish *p)
{
    char text[TELEMETRY_LINE] = "";
    if (control_uds_answer(&p->uds, p->diagnosis, text, sizeof text))
        reply_later(p, &p->uds_from, text);
    for (int i = 0; i < p->pending_count;) {
        struct publish_pending *w = &p->pending[i];
        if (!commands_end(p->room, &w->ticket, text, sizeof text)) {
            i++;
            continue;
        }
        reply_later(p, w, text);
        p->pending_count--;
        memmove(w, w + 1, (size_t)(p->pending_count - i) * sizeof *w);
    }
}

static void take_drive(struct publish *p, const struct sockaddr_in *from,
                       const struct telemetry_header *h, const void *packet)
{
    struct telemetry_drive d;
    struct publish_session *s = session_for(p, from, h, packet);
    memcpy(&d, (const char *)packet + sizeof *h, sizeof d);
    if (!s || d.counter <= s->drives) {
        p->rejected += s != NULL;
        return;
    }
    s->drives = d.counter;
    const struct driver_input in = {.hand_wheel_rad = d.hand_wheel_rad,
                                    .throttle = d.throttle,
                                    .brake_pedal = d.brake_pedal,
                                    .clutch_pedal = d.clutch_pedal,
                                    .gear = d.gear,
                                    .drives = d.drives};
    d.who[TELEMETRY_WHO - 1] = '\0';
    if (!p->person_may_drive || !lease_name_is_good(d.who) || !commands_may_drive(p->room, d.who) ||
        !remote_driver_put(&p->loop->person, &in))
        p->rejected++;
}

void publish_take_sealed(struct publish *p, const struct sockaddr_in *from,
                         const struct telemetry_header *h, const void *packet)
{
    bool asks_who = h->kind == TELEMETRY_HELLO && h->run == 0;
    if (h->run != p->header.run && !asks_who) {
        p->rejected++;
        return;
    }
    if (h->kind == TELEMETRY_HELLO)
        take_hello(p, from, h, packet);
    else if (h->kind == TELEMETRY_COMMAND)
        take_command(p, from, h, packet);
    else if (h->kind == TELEMETRY_DRIVE)
        take_drive(p, from, h, packet);
}

/* ---- the socket */

void publish_take_packet(struct publish *p, const struct sockaddr_in *from, const void *packet,
                         size_t bytes)
{
    struct telemetry_header h;
    if (telemetry_open(packet, bytes, &h) != TELEMETRY_GOOD)
        return;
    if (telemetry_sealed_bytes(&h) > 0) {
        publish_take_sealed(p, from, &h, packet);
        return;
    }
    struct publish_peer *peer = peer_of(p, from);
    if (!peer)
        return;
    if (p->has_key && (!(h.flags & TELEMETRY_SEALED) || h.run != p->header.run ||
                       !telemetry_tag_is_right(&p->run_key, packet, bytes))) {
        p->rejected++;
        return;
    }
    answer(p, peer, &h, packet);
}

void publish_take(struct publish *p)
{
    unsigned char packet[2048]; /* nothing that hosts send is longer */
    for (int i = 0; i < TAKE_MAX; i++) {
        struct sockaddr_in from = {0};
        socklen_t length = sizeof from;
        ssize_t n = recvfrom(p->socket, packet, sizeof packet, MSG_DONTWAIT | MSG_TRUNC,
                             (struct sockaddr *)&from, &length);
        if (n < 0 && errno == ECONNREFUSED)
            p->refused++;
        if (n < 0)
            return;
        if ((size_t)n <= sizeof packet && from.sin_family == AF_INET)
            publish_take_packet(p, &from, packet, (size_t)n);
    }
}
