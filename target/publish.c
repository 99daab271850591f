#include "target/publish.h"

#include "shared/base/time.h"
#include "shared/wire/telemetry_seal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNKS = 4, /* of a blob in a round */
    EVENT_BATCH = 32,
};
static const int poll_ms = 2;
static const int64_t status_ns = 100 * NS_PER_MS, blob_ns = 10 * NS_PER_S;
static const int64_t forget_ns = 10 * NS_PER_S; /* a host that says nothing */
static const int64_t key_ns = 200 * NS_PER_MS;  /* between looks for a key */
/* At the end: for the first word of the host that the bench names, unless its machine refuses;
 * while a host was heard lately; after its last question; in all. */
static const int64_t unheard_ns = 2 * NS_PER_S;
static const int64_t near_ns = 3 * NS_PER_S, patience_ns = NS_PER_S, linger_ns = 20 * NS_PER_S;

int64_t publish_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ---- packets */

void publish_send(struct publish *p, struct publish_peer *peer, const struct telemetry_header *h,
                  const void *body, size_t bytes)
{
    struct telemetry_header header = *h;
    uint8_t tag[TELEMETRY_TAG];
    struct iovec parts[3] = {{&header, sizeof header}, {(void *)body, bytes}, {tag, sizeof tag}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = p->has_key ? 3 : 2};
    uint64_t records = h->kind == TELEMETRY_RECORDS ? h->count : 0;
    if (!p->connected) {
        message.msg_name = &peer->at;
        message.msg_namelen = sizeof peer->at;
    }
    header.packet = ++peer->packets;
    header.sent_ns = publish_now_ns();
    if (header.sent_ns <= p->sent_ns)
        header.sent_ns = p->sent_ns + 1; /* no two the same: a host knows what is sent again */
    p->sent_ns = header.sent_ns;
    if (p->has_key) {
        header.flags |= TELEMETRY_SEALED;
        telemetry_tag(&p->run_key, &header, body, bytes, tag);
    }
    /* A host that is not there refuses, which the next packet is told instead of being sent: it
     * goes once more. None of this is a concern of the bench. */
    ssize_t n = sendmsg(p->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == ECONNREFUSED) {
        p->refused++;
        n = sendmsg(p->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (n < 0)
        p->failed += records;
    else
        p->sent += records;
}

void publish_send_list(struct publish *p, struct publish_peer *peer, const struct publish_list *l)
{
    struct telemetry_header h = p->header;
    h.kind = l->kind;
    h.flags = l->flags;
    h.first = l->first;
    h.count = l->count;
    h.each_bytes = l->each_bytes;
    publish_send(p, peer, &h, l->elements, (size_t)l->count * l->each_bytes);
}

/* ---- what goes out by itself */

/* To every host there is. */
static void send_list(struct publish *p, const struct publish_list *l)
{
    for (int i = 0; i < PUBLISH_PEERS && l->count > 0; i++)
        if (p->peer[i].used)
            publish_send_list(p, &p->peer[i], l);
}

/* Records side by side in number share a packet. */
static void take_records(struct publish *p)
{
    struct loop_record batch[PUBLISH_BATCH];
    struct publish_list l = {
        .kind = TELEMETRY_RECORDS, .each_bytes = sizeof batch[0], .elements = batch};
    struct loop_sample s;
    while (ring_pop(&p->loop->telemetry, &s, 1) == 1) {
        publish_history_put(&p->history, &s);
        p->next = s.number + 1;
        if (l.count == PUBLISH_BATCH || (l.count > 0 && s.number != l.first + l.count)) {
            send_list(p, &l);
            l.count = 0;
        }
        if (l.count == 0)
            l.first = s.number;
        batch[l.count++] = s.record;
    }
    send_list(p, &l);
}

static void take_events(struct publish *p)
{
    struct telemetry_event batch[EVENT_BATCH];
    size_t n;
    while ((n = ring_pop(&p->events, batch, EVENT_BATCH)) > 0) {
        for (size_t i = 0; i < n; i++)
            p->kept[(p->event_next + i) % PUBLISH_EVENTS] = batch[i];
        send_list(p, &(struct publish_list){.kind = TELEMETRY_EVENTS,
                                            .first = p->event_next,
                                            .count = (uint32_t)n,
                                            .each_bytes = sizeof batch[0],
                                            .elements = batch});
        p->event_next += n;
    }
}

static uint32_t state_of(const struct publish *p, const struct loop_live *live)
{
    if (p->ended)
        return TELEMETRY_ENDED;
    if (live->cause)
        return TELEMETRY_SAFE;
    return atomic_load(&p->loop->waiting) ? TELEMETRY_WAITING : TELEMETRY_RUNNING;
}

static void send_status(struct publish *p)
{
    const struct loop_live *live = loop_live_for_host(p->loop);
    const struct deadline_now *d = &live->deadlines;
    struct telemetry_header h = p->header;
    struct telemetry_status s = {
        .state = state_of(p, live),
        .cause = live->cause,
        .tick = live->tick,
        .first_ns = live->first_ns,
        .period_ns = p->loop->setup.period_ns,
        .records = p->next,
        .events = p->event_next,
        .ticks = d->ticks,
        .missed = d->misses,
        .skipped = d->skipped,
        .in_row = d->run_longest,
        .max_response_ns = d->ticks ? d->spread[DEADLINE_RESPONSE].max_ns : 0,
        .max_wake_ns = d->ticks ? d->spread[DEADLINE_WAKE].max_ns : 0,
        .switches = live->switches,
        .driver = live->driver,
        .faults_active = live->faults_active,
        .blob_generation = p->generation,
        .safe_number = live->safe_number,
    };
    lease_holder(&p->room->lease, p->room->now_ns(), s.holder);
    (void)pthread_mutex_lock(&p->lock);
    memcpy(s.wake, p->wake, sizeof s.wake);
    memcpy(s.response, p->response, sizeof s.response);
    (void)pthread_mutex_unlock(&p->lock);
    h.kind = TELEMETRY_STATUS;
    for (int i = 0; i < PUBLISH_PEERS; i++)
        if (p->peer[i].used)
            publish_send(p, &p->peer[i], &h, &s, sizeof s);
}

/* A few chunks of each blob whose round goes on. */
static void send_blobs(struct publish *p)
{
    unsigned char body[sizeof(struct telemetry_blob) + TELEMETRY_CHUNK];
    struct telemetry_header h = p->header;
    h.kind = TELEMETRY_BLOB;
    for (uint32_t id = 0; id < TELEMETRY_BLOBS; id++) {
        for (int n = 0; n < CHUNKS && p->blob_sent[id] < p->blob_bytes[id]; n++) {
            size_t left = p->blob_bytes[id] - p->blob_sent[id];
            size_t chunk = left < TELEMETRY_CHUNK ? left : TELEMETRY_CHUNK;
            const struct telemetry_blob b = {.id = id,
                                             .generation = p->generation,
                                             .bytes = (uint32_t)p->blob_bytes[id],
                                             .offset = (uint32_t)p->blob_sent[id]};
            memcpy(body, &b, sizeof b);
            memcpy(body + sizeof b, p->blob[id] + p->blob_sent[id], chunk);
            for (int i = 0; i < PUBLISH_PEERS; i++)
                if (p->peer[i].used)
                    publish_send(p, &p->peer[i], &h, body, sizeof b + chunk);
            p->blob_sent[id] += chunk;
        }
        if (p->blob_again[id] && p->blob_sent[id] >= p->blob_bytes[id]) {
            p->blob_again[id] = false;
            p->blob_sent[id] = 0;
        }
    }
}

static void forget_peers(struct publish *p, int64_t now_ns)
{
    for (int i = 0; i < PUBLISH_PEERS; i++)
        if (p->peer[i].used && !p->peer[i].fixed && now_ns - p->peer[i].heard_ns > forget_ns)
            p->peer[i].used = false;
}

/* ---- the thread */

static void wait_for_packets(const struct publish *p)
{
    struct pollfd at = {.fd = p->socket, .events = POLLIN};
    if (poll(&at, 1, poll_ms) > 0 && (at.revents & POLLERR) && !(at.revents & POLLIN))
        (void)poll(NULL, 0, poll_ms); /* a refusal, which the next packet takes */
}

void publish_round(struct publish *p)
{
    int64_t now_ns = publish_now_ns();
    (void)publish_need_key(p);
    publish_take(p);
    publish_answer_pending(p);
    take_records(p);
    take_events(p);
    if (now_ns >= p->status_due_ns) {
        p->status_due_ns = now_ns + status_ns;
        send_status(p);
        forget_peers(p, now_ns);
    }
    if (now_ns >= p->blob_due_ns) {
        p->blob_due_ns = now_ns + blob_ns;
        for (int i = 0; i < TELEMETRY_BLOBS; i++)
            p->blob_again[i] = true;
    }
    send_blobs(p);
}

/* Whether a host is there that may still want something. */
static bool is_awaited(const struct publish *p, int64_t end_ns)
{
    int64_t now_ns = publish_now_ns();
    if (now_ns - end_ns > linger_ns)
        return false;
    for (int i = 0; i < PUBLISH_PEERS; i++) {
        const struct publish_peer *peer = &p->peer[i];
        /* A run may be shorter than the way to the host's first word. */
        if (peer->used && peer->fixed && peer->heard_ns == 0 && p->refused == 0 &&
            now_ns - end_ns < unheard_ns)
            return true;
        if (peer->used && !peer->done && peer->heard_ns > 0 && end_ns - peer->heard_ns < near_ns &&
            (now_ns - end_ns < patience_ns || now_ns - p->asked_ns < patience_ns))
            return true;
    }
    return false;
}

/* Who was there to the end, and who of them misses something. */
static void count_hosts(struct publish *p, int64_t end_ns)
{
    for (int i = 0; i < PUBLISH_PEERS; i++) {
        const struct publish_peer *peer = &p->peer[i];
        bool there = peer->used && peer->heard_ns > 0 && end_ns - peer->heard_ns < near_ns;
        p->hosts += there;
        p->left_behind += there && !peer->done;
    }
}

static void *work(void *argument)
{
    struct publish *p = argument;
    while (!atomic_load(&p->finish)) {
        wait_for_packets(p);
        publish_round(p);
    }
    p->ended = true;
    p->status_due_ns = 0;
    int64_t end_ns = publish_now_ns();
    do {
        publish_round(p);
        if (!is_awaited(p, end_ns))
            break;
        wait_for_packets(p);
    } while (1);
    count_hosts(p, end_ns);
    return NULL;
}

/* ---- from the log's thread */

static void tap_records(void *self, const struct loop_record *r, size_t count)
{
    struct publish *p = self;
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < count; i++) {
        p->wake[telemetry_bin(r[i].wake_ns - r[i].release_ns)]++;
        p->response[telemetry_bin(r[i].end_ns - r[i].release_ns)]++;
    }
    (void)pthread_mutex_unlock(&p->lock);
}

static bool put_event(struct publish *p, const struct loop_event *event, const char *text)
{
    struct telemetry_event *e = ring_reserve(&p->events);
    if (!e)
        return false;
    memset(e, 0, sizeof *e);
    e->event = *event;
    (void)snprintf(e->text, sizeof e->text, "%s", text);
    ring_commit(&p->events);
    return true;
}

/* Those that find no room are an event of their own, as soon as there is some again: a host must
 * not take its list of missed deadlines for complete. */
static void tell_lost(struct publish *p)
{
    char why[TELEMETRY_TEXT];
    struct loop_event gap = p->lost_last;
    gap.kind = EVENT_DROPPED;
    gap.value = (int64_t)p->events_lost;
    (void)snprintf(why, sizeof why,
                   "%" PRIu64 " events found no room in the telemetry; the target's log has them",
                   p->events_lost);
    if (put_event(p, &gap, why))
        p->events_lost = 0;
}

static void tap_event(void *self, const struct loop_event *event, const char *text)
{
    struct publish *p = self;
    if (p->events_lost > 0)
        tell_lost(p);
    if (p->events_lost == 0 && put_event(p, event, text))
        return;
    p->events_lost++;
    p->lost_last = *event;
}

/* ---- set-up */

static int address(const char *host, int port, const char *what, struct sockaddr_in *to,
                   struct err *e)
{
    *to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &to->sin_addr) != 1)
        return err_set(e, -EINVAL, "telemetry: %s\"%s\" is no IPv4 address", what, host);
    return 0;
}

/* One of 127.0.0.0/8: what is bound to it reaches no other machine. */
static bool is_here(const struct sockaddr_in *at)
{
    return ntohl(at->sin_addr.s_addr) >> 24 == 127;
}

static int open_socket(struct publish *p, const struct publish_setup *setup, struct err *e)
{
    struct sockaddr_in at;
    p->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (p->socket < 0)
        return err_set(e, -errno, "telemetry: %s", strerror(errno));
    if (setup->port > 0) {
        int bad = address(setup->host, setup->port, "", &p->peer[0].at, e);
        if (bad)
            return bad;
        p->peer[0].used = p->peer[0].fixed = true;
    }
    if (setup->listen_port > 0) {
        int bad = address(setup->listen_host, setup->listen_port, "listen: ", &at, e);
        if (bad)
            return bad;
        if (p->peer[0].fixed && is_here(&at) && !is_here(&p->peer[0].at))
            return err_set(
                e, -EINVAL,
                "telemetry: from %s nothing gets to %s; give `listen` an address of that "
                "network",
                setup->listen_host, setup->host);
        if (bind(p->socket, (const struct sockaddr *)&at, sizeof at))
            return err_set(e, -errno, "telemetry: cannot listen at %s:%d: %s", setup->listen_host,
                           setup->listen_port, strerror(errno));
        return 0;
    }
    /* Connected: the kernel lets in what comes from that host only. */
    p->connected = true;
    if (connect(p->socket, (const struct sockaddr *)&p->peer[0].at, sizeof p->peer[0].at))
        return err_set(e, -errno, "telemetry to %s:%d: %s", setup->host, setup->port,
                       strerror(errno));
    return 0;
}

static int load_key(struct publish *p, const char *path, struct err *e)
{
    int bad = seal_key_load(path, &p->key, e);
    if (!bad)
        telemetry_run_key(&p->key, p->header.run, &p->run_key);
    p->has_key = bad == 0;
    return bad;
}

bool publish_need_key(struct publish *p)
{
    char path[PUBLISH_PATH];
    int64_t now_ns = publish_now_ns();
    struct err e;
    if (p->has_key)
        return true;
    if (p->key_tried_ns && now_ns - p->key_tried_ns < key_ns)
        return false;
    p->key_tried_ns = now_ns;
    return seal_key_default(path, sizeof path) && load_key(p, path, &e) == 0;
}

/* One that is named must be there, and one at the usual place must be right. */
static int open_key(struct publish *p, const struct publish_setup *setup, struct err *e)
{
    char path[PUBLISH_PATH];
    if (setup->key[0] != '\0')
        return load_key(p, setup->key, e);
    if (!seal_key_default(path, sizeof path))
        return 0;
    int bad = load_key(p, path, e);
    return bad == -ENOENT || bad == -ENOTDIR ? 0 : bad;
}

static int open_memory(struct publish *p, const struct publish_setup *setup, struct err *e)
{
    struct describe_source source = setup->source;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    source.loop = p->loop;
    source.run = p->header.run;
    source.start_ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
    p->blob[BLOB_DESCRIPTION] = describe_run(&source, &p->blob_bytes[BLOB_DESCRIPTION]);
    p->blob[BLOB_FILES] = describe_files(&source, &p->blob_bytes[BLOB_FILES]);
    p->kept = calloc(PUBLISH_EVENTS, sizeof *p->kept);
    int bad = ring_init(&p->events, sizeof(struct telemetry_event), 1 << 10, NULL);
    if (!bad)
        bad = publish_history_init(&p->history, p->loop->setup.publish_every, setup->log);
    if (bad || !p->blob[BLOB_DESCRIPTION] || !p->blob[BLOB_FILES] || !p->kept)
        return err_set(e, -ENOMEM,
                       "telemetry: out of memory; a limit of locked memory counts, "
                       "too (ulimit -l)");
    p->generation = 1;
    return 0;
}

int publish_open(struct publish *p, struct loop *loop, const struct publish_setup *setup,
                 struct err *e)
{
    memset(p, 0, sizeof *p);
    p->loop = loop;
    p->socket = -1;
    p->header = (struct telemetry_header){
        .magic = TELEMETRY_MAGIC, .version = TELEMETRY_VERSION, .table = telemetry_table_hash()};
    seal_random(&p->header.run, sizeof p->header.run);
    (void)snprintf(p->header.name, sizeof p->header.name, "%s", setup->name);
    p->tap = (struct run_log_tap){.self = p, .records = tap_records, .event = tap_event};
    p->person_may_drive = !loop->car->scenario->person_may_not;
    p->diagnosis = setup->diagnosis;
    p->room = setup->commands;
    (void)pthread_mutex_init(&p->lock, NULL);
    p->lock_made = true;
    int bad = open_socket(p, setup, e);
    if (!bad)
        bad = open_key(p, setup, e);
    return bad ? bad : open_memory(p, setup, e);
}

int publish_start(struct publish *p, struct loop *loop, const struct publish_setup *setup,
                  struct err *e)
{
    int bad = publish_open(p, loop, setup, e);
    if (bad)
        return bad;
    int error = pthread_create(&p->thread, NULL, work, p);
    p->started = error == 0;
    return error ? err_set(e, -error, "the publish thread did not start: %s", strerror(error)) : 0;
}

void publish_finish(struct publish *p)
{
    if (p->started) {
        const struct timespec pause = {.tv_nsec = NS_PER_MS};
        for (int i = 0; i < 100 && p->events_lost > 0; i++) {
            tell_lost(p); /* the log's thread has ended */
            (void)nanosleep(&pause, NULL);
        }
        atomic_store(&p->finish, true);
        (void)pthread_join(p->thread, NULL);
        p->started = false;
    }
    if (p->socket >= 0)
        (void)close(p->socket);
    p->socket = -1;
    if (!p->lock_made)
        return;
    p->lock_made = false;
    (void)pthread_mutex_destroy(&p->lock);
    publish_history_free(&p->history);
    ring_free(&p->events);
    free(p->kept);
    for (int i = 0; i < TELEMETRY_BLOBS; i++)
        free(p->blob[i]);
}
