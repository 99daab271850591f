#include "target/io/can_sender.h"

#include "shared/base/latest.h"
#include "shared/base/ring.h"
#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/cobalt.h>
#include <sys/socket.h>
#include <time.h>

#include <rtdm/can.h>

enum { RING_FRAMES = 1024 /* one tick may send BUS_SENT */ };
/* After the end frames still go out for so long; what is older is of no use to anybody. */
static const int64_t finish_ns = 200 * NS_PER_MS;

/* What the thread tells. */
struct told {
    struct can_counts counts;
    struct can_flow flow;
};

struct can_sender {
    int socket;
    int priority, cpu;
    /* the real-time thread */
    uint64_t full, failed; /* the ring was full, no frame of this bus */
    uint64_t down;         /* as last told */
    /* between the two */
    struct ring to_bus;
    sem_t work; /* of the core: something is in the ring, or the end has come */
    struct latest told;
    atomic_bool finish;
    /* the thread */
    pthread_t thread;
    bool started;
    sem_t ready; /* of Linux: it has joined the core, or not */
    int error;
    uint64_t switches_start;
    struct can_port account; /* of it only counts, flow and mute */
    struct can_queue queue;
};

/* ---- the real-time thread */

int can_sender_put(struct can_sender *s, const struct can_msg *msgs, int n)
{
    int taken = 0;
    for (int i = 0; i < n; i++) {
        if (!can_frame_valid(&msgs[i], false))
            s->failed++;
        else if (ring_push(&s->to_bus, &msgs[i]))
            taken++;
        else
            s->full++;
    }
    if (taken > 0)
        (void)__RT(sem_post(&s->work)); /* enters the core only if the thread sleeps */
    return taken;
}

bool can_sender_told(struct can_sender *s, struct can_port *port)
{
    const struct told *t = latest_read(&s->told, NULL);
    port->counts.sent = t->counts.sent;
    port->counts.full = s->full + t->counts.full;
    port->counts.failed = s->failed + t->counts.failed;
    port->counts.replaced = t->counts.replaced;
    port->flow = t->flow;
    port->flow.depth += ring_fill(&s->to_bus);
    const bool down = t->counts.down != s->down;
    s->down = t->counts.down;
    return down;
}

/* ---- the thread */

static int64_t now_ns(void)
{
    struct timespec t = {0, 0};
    (void)__RT(clock_gettime(CLOCK_MONOTONIC, &t));
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static uint64_t switches(void)
{
    struct cobalt_threadstat s;
    return cobalt_thread_stat(0, &s) == 0 ? s.msw : 0;
}

static void tell(struct can_sender *s)
{
    struct told *t = latest_begin(&s->told);
    s->account.flow.left = switches() - s->switches_start;
    t->counts = s->account.counts;
    t->flow = s->account.flow;
    latest_publish(&s->told, 0);
}

/* What has come from the real-time thread, all of it: the queue is what is bounded and counted. */
static void fetch(struct can_sender *s)
{
    const void *span;
    while (ring_peek(&s->to_bus, &span) > 0) {
        (void)can_queue_put(&s->queue, span, &s->account);
        ring_release(&s->to_bus, 1);
    }
}

/* Waits for as long as the controller has another frame in flight. Returns 0 or a positive error.
 */
static int send_frame(const struct can_sender *s, const struct can_msg *m)
{
    struct can_frame f;
    memset(&f, 0, sizeof f);
    f.can_id = m->id | (m->flags & CAN_MSG_REMOTE ? CAN_RTR_FLAG : 0);
    f.can_dlc = m->len;
    memcpy(f.data, m->data, m->len);
    return __RT(send(s->socket, &f, sizeof f, 0)) == (ssize_t)sizeof f ? 0 : errno;
}

/* The oldest frame. Returns false if nothing can be sent at present. */
static bool send_oldest(struct can_sender *s)
{
    const struct can_msg *m;
    if (can_port_is_mute(&s->account)) {
        can_queue_fail(&s->queue, can_queue_count(&s->queue), &s->account);
        return false;
    }
    (void)can_queue_peek(&s->queue, &m);
    switch (send_frame(s, m)) {
    case 0:
        can_queue_sent(&s->queue, 1, now_ns(), &s->account);
        return true;
    case ETIMEDOUT: /* nobody acknowledges, perhaps: the controller tries on, the others wait */
    case EAGAIN:
    case EINTR:
        return false;
    case ENETDOWN: /* stopped or off the bus: values that are old afterwards are of no use */
        s->account.counts.down++;
        can_queue_fail(&s->queue, can_queue_count(&s->queue), &s->account);
        return false;
    default:
        can_queue_fail(&s->queue, 1, &s->account);
        return true;
    }
}

static bool must_end(const struct can_sender *s)
{
    return atomic_load_explicit(&s->finish, memory_order_acquire);
}

static void *work(void *argument)
{
    struct can_sender *s = argument;
    const struct sched_param p = {.sched_priority = s->priority};
    bool takes = true;
    int64_t ended_ns = 0;
    s->error = __RT(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
    if (!s->error)
        s->error = __RT(pthread_setname_np(pthread_self(), "skidpad-can"));
    const bool joined = !s->error;
    (void)sem_post(&s->ready);
    if (!joined)
        return NULL;
    /* From the first frame on; what it took to get here is over. */
    (void)__RT(sem_wait(&s->work));
    s->switches_start = switches();
    for (;;) {
        fetch(s);
        if (can_queue_count(&s->queue) > 0)
            takes = send_oldest(s);
        else if (must_end(s))
            break;
        else
            (void)__RT(sem_wait(&s->work));
        tell(s);
        if (!must_end(s))
            continue;
        ended_ns = ended_ns > 0 ? ended_ns : now_ns();
        if (!takes || now_ns() - ended_ns > finish_ns)
            break;
    }
    can_queue_fail(&s->queue, can_queue_count(&s->queue), &s->account);
    tell(s);
    return NULL;
}

/* ---- set-up */

static int set_attributes(pthread_attr_t *a, const struct can_sender *s, bool realtime)
{
    const struct sched_param p = {.sched_priority = s->priority};
    int error = 0;
    if (realtime) {
        error = pthread_attr_setinheritsched(a, PTHREAD_EXPLICIT_SCHED);
        if (!error)
            error = pthread_attr_setschedpolicy(a, SCHED_FIFO);
        if (!error)
            error = pthread_attr_setschedparam(a, &p);
    }
    if (!error && s->cpu >= 0 && s->cpu < CPU_SETSIZE) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET((size_t)s->cpu, &cpus);
        error = pthread_attr_setaffinity_np(a, sizeof cpus, &cpus);
    }
    return error;
}

/* Signals are for the thread that waits for them; not those that a thread gets for what it does. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU};
    sigset_t set;
    (void)sigfillset(&set);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        (void)sigdelset(&set, own[i]);
    (void)pthread_sigmask(SIG_SETMASK, &set, before);
}

static int start_thread(struct can_sender *s, bool realtime)
{
    pthread_attr_t attributes;
    sigset_t before;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    block_signals(&before);
    error = set_attributes(&attributes, s, realtime);
    if (!error)
        error = pthread_create(&s->thread, &attributes, work, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

static int start(struct can_sender *s, bool allow_nonrt)
{
    int error = start_thread(s, true);
    if (error == EPERM && allow_nonrt)
        error = start_thread(s, false);
    if (error)
        return error;
    s->started = true;
    while (sem_wait(&s->ready) && errno == EINTR)
        ;
    if (s->error) {
        (void)pthread_join(s->thread, NULL);
        s->started = false;
    }
    return s->error;
}

int can_sender_open(struct can_sender **sender, int socket, const char *interface,
                    const struct can_sender_setup *setup, struct err *e)
{
    *sender = NULL;
    struct can_sender *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(e, -ENOMEM, "%s: out of memory", interface);
    s->socket = socket;
    s->priority = setup->priority > 0 ? setup->priority : 1;
    s->cpu = setup->cpu;
    s->account.mute = setup->mute;
    (void)sem_init(&s->ready, 0, 0);
    int bad = can_queue_init(&s->queue, setup);
    if (!bad)
        bad = ring_init(&s->to_bus, sizeof(struct can_msg), RING_FRAMES, NULL);
    if (!bad)
        bad = latest_init(&s->told, sizeof(struct told), NULL, NULL);
    if (!bad)
        bad = __RT(sem_init(&s->work, 0, 0)) ? -errno : 0;
    if (bad)
        (void)err_set(e, bad, "%s: no memory to send frames, or no semaphore of the core: %s",
                      interface, strerror(-bad));
    if (!bad) {
        bad = -start(s, setup->allow_nonrt);
        if (bad)
            (void)err_set(e, bad,
                          "%s: no thread of the core to send frames, SCHED_FIFO %d on CPU %d: %s",
                          interface, s->priority, s->cpu, strerror(-bad));
    }
    if (bad)
        can_sender_close(s);
    else
        *sender = s;
    return bad;
}

void can_sender_finish(struct can_sender *s)
{
    if (!s || !s->started)
        return;
    atomic_store_explicit(&s->finish, true, memory_order_release);
    (void)__RT(sem_post(&s->work));
    (void)pthread_join(s->thread, NULL);
    s->started = false;
    s->failed += ring_fill(&s->to_bus);
}

void can_sender_close(struct can_sender *s)
{
    if (!s)
        return;
    can_sender_finish(s);
    (void)__RT(sem_destroy(&s->work));
    (void)sem_destroy(&s->ready);
    ring_free(&s->to_bus);
    latest_free(&s->told);
    free(s);
}
