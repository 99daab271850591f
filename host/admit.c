/* Which target a packet is of, and whether it may be one at all.
 *
 * With a key only sealed packets are taken (unless --accept-unsealed), and a run that is not known
 * yet gets its place once it has answered a challenge: so neither strangers nor packets of old runs
 * sent again can take places. Nothing is kept of who has not answered: the host's number in the
 * hello can be made again from what the answer says of itself. */
#include "host/host.h"
#include "shared/base/console.h"
#include "shared/base/time.h"
#include "shared/wire/telemetry_seal.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t quiet_ns = 2 * NS_PER_S; /* then a target's name may be another run's */
static const int64_t phantom_ns = 5 * NS_PER_S;
static const int64_t epoch_ns = 4 * NS_PER_S; /* an answer has one to two of these */
static const int64_t grace_ns = NS_PER_S; /* for one that is about to find the key, or to answer */
static const int64_t tell_ns = 10 * NS_PER_S; /* between messages of a kind */

/* ---- refusals */

static const char *const reasons[HOST_REFUSALS] = {
    [REFUSED_UNSEALED] = ("has not this host's key: nothing of it is taken; give it the same key "
                          "file, or the host --accept-unsealed"),
    [REFUSED_FORGED] = "has another key than this host: nothing of it is taken; give both the same",
    [REFUSED_KEYLESS] = "is sealed with a key, and this host has none: nothing of it is taken",
    [REFUSED_SILENT] = "has the key but does not answer: packets of an old run, sent again?",
    [REFUSED_ELSEWHERE] = "sends what belongs to a target at another address: not taken",
    [REFUSED_CROWDED] = "finds no place, all go on: NOT RECORDED; end one of the runs",
};

const char *host_refusal_text(enum host_refusal why)
{
    return reasons[why];
}

static void refuse(struct host *h, enum host_refusal why, const struct telemetry_header *header,
                   const struct sockaddr_in *from)
{
    struct host_refused *r = &h->refused[why];
    int64_t now_ns = host_now_ns();
    char address[INET_ADDRSTRLEN] = "";
    (void)pthread_mutex_lock(&h->lock);
    if (r->last_ns == 0 || now_ns - r->last_ns > NS_PER_S)
        r->since_ns = now_ns;
    r->count++;
    r->last_ns = now_ns;
    bool patient = why == REFUSED_UNSEALED || why == REFUSED_SILENT;
    bool early = patient && now_ns - r->since_ns < grace_ns;
    bool due = !early && (r->told_ns == 0 || now_ns - r->told_ns >= tell_ns);
    if (due) {
        r->told_ns = now_ns;
        r->shown = true;
        (void)inet_ntop(AF_INET, &from->sin_addr, address, sizeof address);
        (void)snprintf(r->who, sizeof r->who, "\"%.*s\" at %s:%d", TELEMETRY_NAME, header->name,
                       address, ntohs(from->sin_port));
        console_clean(r->who);
    }
    (void)pthread_mutex_unlock(&h->lock);
    if (!due)
        return;
    console_say("skidpad host: REFUSED: %s %s (%" PRIu64 " packets so far)\n", r->who, reasons[why],
                r->count);
    host_changed(h);
}

void host_tend_refusals(struct host *h, int64_t now_ns)
{
    bool changed = false;
    (void)pthread_mutex_lock(&h->lock);
    for (int i = 0; i < HOST_REFUSALS; i++)
        if (h->refused[i].shown && now_ns - h->refused[i].last_ns > tell_ns) {
            h->refused[i].shown = false;
            changed = true;
        }
    (void)pthread_mutex_unlock(&h->lock);
    if (changed)
        host_changed(h);
}

/* Runs that had the key and found no place, until they do. */
static void note_crowded(struct host *h, uint64_t run)
{
    for (int i = 0; i < h->crowded_runs; i++)
        if (h->crowded_run[i] == run)
            return;
    if (h->crowded_runs < HOST_CROWDED)
        h->crowded_run[h->crowded_runs++] = run;
}

static void forget_crowded(struct host *h, uint64_t run)
{
    for (int i = 0; i < h->crowded_runs; i++)
        if (h->crowded_run[i] == run)
            h->crowded_run[i] = h->crowded_run[--h->crowded_runs];
}

/* ---- places */

static void begin_run(struct host *h, struct host_target *t, const struct telemetry_header *header,
                      const struct sockaddr_in *from)
{
    int64_t now_ns = host_now_ns();
    char address[INET_ADDRSTRLEN] = "";
    host_end_run(h, t);
    t->at = *from;
    t->table = header->table;
    t->sealed = false;
    t->sent_newest_ns = INT64_MIN;
    t->packet_first = t->packet_end = header->packet;
    t->number_end = t->event_next = t->own_packets = 0;
    t->clock_due_ns = t->blob_due_ns = t->ask_due_ns = t->event_due_ns = t->hello_due_ns = now_ns;
    (void)pthread_mutex_lock(&t->lock);
    (void)snprintf(t->name, sizeof t->name, "%s", header->name);
    console_clean(t->name);
    t->run = header->run;
    t->heard_ns = now_ns;
    (void)pthread_mutex_unlock(&t->lock);
    atomic_store(&t->used, true);
    h->admissions++;
    h->refused[REFUSED_SILENT].last_ns = 0;
    forget_crowded(h, header->run);
    if (h->setup.verbose) {
        (void)inet_ntop(AF_INET, &from->sin_addr, address, sizeof address);
        console_say("skidpad host: target %d: \"%s\" at %s:%d, run %016" PRIx64 "\n", t->id,
                    t->name, address, ntohs(from->sin_port), t->run);
    }
    host_changed(h);
}

/* One that never said what it is, and says nothing any more: a packet that was damaged on its way.
 */
static bool is_phantom(const struct host_target *t, int64_t now_ns)
{
    return !t->description && now_ns - t->heard_ns > phantom_ns;
}

static bool is_over(const struct host_target *t, int64_t now_ns)
{
    return now_ns - t->heard_ns > quiet_ns || (t->has_status && t->status.state == TELEMETRY_ENDED);
}

static bool is_here(const struct host_target *t, const struct sockaddr_in *from)
{
    return t->at.sin_addr.s_addr == from->sin_addr.s_addr;
}

static bool goes_first(const struct host_target *t, const struct host_target *than)
{
    return !than || t->complete > than->complete ||
           (t->complete == than->complete && t->heard_ns < than->heard_ns);
}

/* The place of a run that is not known yet: that of the run before it, of the same target; else one
 * that is free; else that of the run which has been over for the longest time, finished ones first;
 * else, for one with the key, that of one without. What has no key displaces nothing that has.
 * NULL: all go on. */
static struct host_target *place_for(struct host *h, const struct telemetry_header *header,
                                     const struct sockaddr_in *from, bool sealed)
{
    struct host_target *place = NULL, *room = NULL, *oldest = NULL, *stranger = NULL;
    int64_t now_ns = host_now_ns();
    char name[TELEMETRY_NAME];
    (void)snprintf(name, sizeof name, "%s", header->name);
    console_clean(name);
    for (int i = HOST_TARGETS - 1; i >= 0 && !place; i--) {
        struct host_target *t = &h->target[i];
        if (!atomic_load(&t->used) || is_phantom(t, now_ns)) {
            room = t;
            continue;
        }
        if (t->sealed && !sealed)
            continue;
        if (!t->sealed && sealed && goes_first(t, stranger))
            stranger = t;
        if (!is_over(t, now_ns))
            continue;
        if (is_here(t, from) && strcmp(t->name, name) == 0)
            place = t;
        if (now_ns - t->heard_ns > quiet_ns && goes_first(t, oldest))
            oldest = t;
    }
    if (!place)
        place = room ? room : oldest ? oldest : stranger;
    /* With so many recordings to finish the disk stands still: the network does not wait for it. */
    return place && place->recorder && !host_may_retire(h) ? NULL : place;
}

/* ---- the challenge */

/* The host's number in a hello to there. */
static void make_cookie(const struct host *h, uint64_t run, const struct sockaddr_in *at,
                        int64_t epoch, uint8_t cookie[SEAL_NONCE])
{
    const struct {
        uint64_t run, epoch, admissions;
        uint32_t address, port;
    } text = {run, (uint64_t)epoch, h->admissions, at->sin_addr.s_addr, at->sin_port};
    const struct seal_part all = {&text, sizeof text};
    static_assert((int)SEAL_NONCE == (int)SEAL_TAG, "one size");
    seal_tag(&h->secret, &all, 1, cookie);
}

static void greet(struct host *h, const struct telemetry_header *header,
                  const struct sockaddr_in *at)
{
    struct telemetry_header out = {.magic = TELEMETRY_MAGIC,
                                   .version = TELEMETRY_VERSION,
                                   .kind = TELEMETRY_HELLO,
                                   .run = header->run,
                                   .table = header->table};
    struct telemetry_hello hello = {0};
    memcpy(out.name, header->name, sizeof out.name);
    make_cookie(h, header->run, at, host_now_ns() / epoch_ns, hello.host);
    telemetry_seal(&h->key, &out, &hello);
    host_send_to(h, at, &out, &hello, sizeof hello);
}

/* An answer to a hello of this host, of now. */
static bool proves(const struct host *h, const struct telemetry_header *header, const void *packet,
                   const struct sockaddr_in *from)
{
    struct telemetry_hello hello;
    uint8_t cookie[SEAL_NONCE];
    bool own = false;
    memcpy(&hello, (const char *)packet + sizeof *header, sizeof hello);
    if (!telemetry_is_sealed(&h->key, header, packet))
        return false;
    for (int back = 0; back < 2 && !own; back++) {
        make_cookie(h, header->run, from, host_now_ns() / epoch_ns - back, cookie);
        own = memcmp(cookie, hello.host, SEAL_NONCE) == 0;
    }
    for (int i = 0; i < h->setup.targets && !own; i++)
        own = memcmp(hello.host, h->hello_nonce[i], SEAL_NONCE) == 0;
    return own;
}

static void make_session(const struct host *h, struct host_target *t, const void *packet)
{
    struct telemetry_hello hello;
    struct host_session *s = &t->session;
    memcpy(&hello, (const char *)packet + sizeof(struct telemetry_header), sizeof hello);
    memcpy(s->nonce, hello.host, SEAL_NONCE);
    seal_session(&h->key, t->run, hello.host, hello.target, &s->key);
    s->asked = s->made = true;
}

/* ---- all together */

/* A sealed run that is not known at this address: challenged, and let in by its answer. */
static struct host_target *let_in_sealed(struct host *h, const struct telemetry_header *header,
                                         const struct sockaddr_in *from, const void *packet,
                                         const struct seal_key *run_key)
{
    struct host_target *t = NULL;
    if (header->kind == TELEMETRY_STATUS) {
        greet(h, header, from);
        refuse(h, REFUSED_SILENT, header, from); /* until it answers */
    }
    if (header->kind != TELEMETRY_CHALLENGE || !proves(h, header, packet, from))
        return NULL;
    for (int i = 0; i < HOST_TARGETS; i++)
        if (atomic_load(&h->target[i].used) && h->target[i].run == header->run &&
            h->target[i].sealed)
            t = &h->target[i];
    if (t && host_now_ns() - t->heard_ns < quiet_ns) {
        refuse(h, REFUSED_ELSEWHERE, header, from);
        return NULL;
    }
    if (t) { /* its way here has changed */
        t->at = *from;
        t->session = (struct host_session){0};
    } else {
        t = place_for(h, header, from, true);
        if (!t) {
            note_crowded(h, header->run);
            refuse(h, REFUSED_CROWDED, header, from);
            return NULL;
        }
        begin_run(h, t, header, from);
    }
    t->sealed = true;
    t->run_key = *run_key;
    make_session(h, t, packet);
    return t;
}

static struct host_target *let_in_unsealed(struct host *h, const struct telemetry_header *header,
                                           const struct sockaddr_in *from)
{
    if (header->kind != TELEMETRY_STATUS && header->kind != TELEMETRY_CHALLENGE)
        return NULL; /* a status comes soon */
    struct host_target *t = place_for(h, header, from, false);
    if (t)
        begin_run(h, t, header, from);
    else
        refuse(h, REFUSED_CROWDED, header, from);
    return t;
}

struct host_target *host_admit(struct host *h, const struct telemetry_header *header,
                               const struct sockaddr_in *from, const void *packet, size_t bytes)
{
    bool sealed = (header->flags & TELEMETRY_SEALED) != 0;
    struct host_target *t = NULL;
    struct seal_key run_key;
    for (int i = 0; i < HOST_TARGETS && !t; i++) {
        struct host_target *known = &h->target[i];
        if (atomic_load(&known->used) && known->run == header->run && is_here(known, from) &&
            known->at.sin_port == from->sin_port)
            t = known;
    }
    if (!sealed && ((t && t->sealed) || (h->has_key && !h->setup.accept_unsealed))) {
        refuse(h, REFUSED_UNSEALED, header, from);
        return NULL;
    }
    if (sealed && !h->has_key) {
        refuse(h, REFUSED_KEYLESS, header, from);
        return NULL;
    }
    if (!sealed)
        return t ? t : let_in_unsealed(h, header, from);
    if (t && t->sealed)
        run_key = t->run_key;
    else
        telemetry_run_key(&h->key, header->run, &run_key);
    if (!telemetry_tag_is_right(&run_key, packet, bytes)) {
        refuse(h, REFUSED_FORGED, header, from);
        return NULL;
    }
    if (t && !t->sealed) { /* has found the key */
        t->sealed = true;
        t->run_key = run_key;
    }
    return t ? t : let_in_sealed(h, header, from, packet, &run_key);
}
