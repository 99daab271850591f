/* skidpad watchdog: watches the ticks of a run from another process, and takes over its bus when
 * they stop. skidpad run starts it; docs/watchdog.md.
 *
 * The one thread that watches and sends waits for nothing but time; another one tells. */
#include "shared/base/options.h"
#include "shared/base/time.h"
#include "target/io/can_open.h"
#include "target/io/can_udp.h"
#include "target/watchdog_judge.h"
#include "target/watchdog_tell.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_QUIET = 0, STATUS_ACTED = 1, STATUS_BAD_INPUT = 2 };

struct program {
    struct watchdog_page *page;
    struct can_port *port;
    int run; /* pidfd */
    struct watchdog_teller teller;
    struct watchdog_deed deed;
    struct bus bus;
    struct bus_state state;
    struct can_msg out[WATCHDOG_FRAMES];
};

static volatile sig_atomic_t asked_to_end;

static void on_signal(int number)
{
    (void)number;
    asked_to_end = 1;
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int fail(const char *what, int error)
{
    fprintf(stderr, "skidpad watchdog: %s%s%s\n", what, error ? ": " : "",
            error ? strerror(error) : "");
    return STATUS_BAD_INPUT;
}

/* ---- set-up */

static int open_page(struct program *p, int descriptor)
{
    void *at = mmap(NULL, sizeof *p->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    descriptor, 0);
    if (at == MAP_FAILED)
        return fail("no memory of a run; skidpad run starts this program", errno);
    p->page = at;
    if (lseek(descriptor, 0, SEEK_END) < (off_t)sizeof *p->page ||
        p->page->bytes != sizeof *p->page)
        return fail("the run is of another version of skidpad", 0);
    p->run = (int)syscall(SYS_pidfd_open, p->page->plan.run, 0);
    if (p->run < 0 || getppid() != p->page->plan.run)
        return fail("the run has ended already", 0);
    return 0;
}

static int open_port(struct program *p, int socket)
{
    static const uint32_t none[1];
    const struct watchdog_plan *plan = &p->page->plan;
    const struct can_open_setup setup = {.bus = (uint8_t)plan->bus,
                                         .ids = none, /* it hears nothing */
                                         .id_count = 0,
                                         .fd = plan->fd};
    struct can_spec spec;
    struct err e = {""};
    int bad = 0;
    if (plan->action == WATCHDOG_SILENT)
        return 0;
    if (plan->transport[0] == '\0') {
        bad = can_udp_adopt(&p->port, socket, &e);
        if (!bad)
            can_udp_share_sequence(p->port, &p->page->sequence);
    } else {
        bad = can_open(&p->port, plan->transport, &setup, &e);
        if (!bad && !can_spec_parse(plan->transport, &spec, &e) && spec.kind == CAN_SOCKETCAN)
            (void)snprintf(p->deed.interface, sizeof p->deed.interface, "%.31s", spec.name);
    }
    return bad ? fail(e.text, 0) : 0;
}

/* Any CPU but the loop's, if there is another. */
static int choose_cpu(const struct watchdog_plan *plan)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus))
        return errno;
    if (plan->cpu >= 0) {
        CPU_ZERO(&cpus);
        CPU_SET((size_t)plan->cpu, &cpus);
    } else if (plan->not_cpu >= 0 && CPU_COUNT(&cpus) > 1) {
        CPU_CLR((size_t)plan->not_cpu, &cpus);
    }
    return sched_setaffinity(0, sizeof cpus, &cpus) ? errno : 0;
}

/* Rights as the run has them: it goes on without only if the run may. */
static int become_realtime(const struct watchdog_plan *plan)
{
    const struct sched_param priority = {.sched_priority = plan->priority};
    char what[80];
    int error = 0;
    if (mlockall(MCL_CURRENT | MCL_FUTURE)) {
        error = errno;
        (void)snprintf(what, sizeof what, "memory cannot be locked");
    }
    if (!error && sched_setscheduler(0, SCHED_FIFO, &priority)) {
        error = errno;
        (void)snprintf(what, sizeof what, "no SCHED_FIFO priority %d", plan->priority);
    }
    if (!error)
        return 0;
    if (!plan->allow_nonrt)
        return fail(what, error);
    fprintf(stderr, "skidpad watchdog: %s: %s; it goes on as an ordinary process\n", what,
            strerror(error));
    return 0;
}

static int set_up(struct program *p, int page, int socket)
{
    const struct sigaction end = {.sa_handler = on_signal};
    int status = open_page(p, page);
    if (status == 0)
        status = open_port(p, socket);
    if (status)
        return status;
    (void)sigaction(SIGTERM, &end, NULL);
    (void)sigaction(SIGINT, &end, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    const struct watchdog_plan *plan = &p->page->plan;
    p->bus = (struct bus){.sent = p->page->plan.sent,
                          .sent_count = plan->frames,
                          .signals = p->page->plan.signals,
                          .tick_ns = plan->period_ns};
    /* Before the other thread, which inherits it: a loop that does not end would keep it out. */
    int error = choose_cpu(plan);
    if (error)
        return fail("the CPU that the bench file names", error);
    error = watchdog_teller_start(&p->teller, plan);
    return error ? fail("no thread", error) : become_realtime(plan);
}

/* ---- watching */

/* Sleeps. Returns true if the run's process has ended. */
static bool pause_for(const struct program *p, int64_t for_ns)
{
    const struct timespec timeout = {.tv_sec = for_ns / NS_PER_S, .tv_nsec = for_ns % NS_PER_S};
    struct pollfd ended = {.fd = p->run, .events = POLLIN};
    return ppoll(&ended, 1, &timeout, NULL) > 0;
}

/* Until there is something to do. Returns false if there is nothing. */
static bool watch(struct program *p)
{
    const struct watchdog_plan *plan = &p->page->plan;
    struct watchdog_judge judge = {.timeout_ns = plan->timeout_ns,
                                   .every_ns = watchdog_judge_every_ns(plan->timeout_ns)};
    for (;;) {
        const bool gone = pause_for(p, judge.every_ns);
        atomic_fetch_add_explicit(&p->page->looks, 1, memory_order_relaxed);
        const int run = atomic_load_explicit(&p->page->run, memory_order_acquire);
        if (run == WATCHDOG_ENDED || asked_to_end || (gone && run == WATCHDOG_WAITS))
            return false;
        const int64_t tick = atomic_load_explicit(&p->page->tick, memory_order_acquire);
        if (run == WATCHDOG_WAITS)
            continue;
        const bool silent = watchdog_judge_look(&judge, tick, now_ns());
        if (!gone && !silent)
            continue;
        p->deed.killed = gone;
        p->deed.tick = tick;
        p->deed.silent_ns = judge.silent_ns;
        return true;
    }
}

/* ---- acting */

static int64_t socket_bytes(const struct program *p)
{
    int bytes = -1;
    if (!p->port || ioctl(p->port->descriptor, SIOCOUTQ, &bytes))
        return -1;
    return bytes;
}

/* All frames at once, then each in its cycle; counters go on where the run's ended. */
static void begin(struct program *p)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < p->bus.sent_count; i++)
        if (p->bus.sent[i].period_ticks > longest)
            longest = p->bus.sent[i].period_ticks;
    bus_reset(&p->bus, &p->state, -longest, 0);
    for (uint32_t i = 0; i < p->bus.sent_count; i++)
        p->state.sent[i] = atomic_load_explicit(&p->page->sent[i], memory_order_relaxed);
}

static void send_frames(struct program *p)
{
    const struct watchdog_plan *plan = &p->page->plan;
    const int64_t begin_ns = now_ns();
    begin(p);
    while (!asked_to_end && atomic_load(&p->page->run) != WATCHDOG_ENDED) {
        const int64_t at_ns = now_ns() - begin_ns;
        if (plan->for_ns > 0 && at_ns >= plan->for_ns)
            break;
        const int n =
            bus_encode(&p->bus, &p->state, at_ns / plan->period_ns, NULL, p->out, WATCHDOG_FRAMES);
        if (n > 0)
            (void)p->port->ops->send(p->port, p->out, n);
        const int64_t next_ns = p->state.soonest * plan->period_ns - (now_ns() - begin_ns);
        const int64_t most_ns = 100 * NS_PER_MS; /* for a look at what is asked */
        const struct timespec pause = {.tv_nsec = next_ns < most_ns ? next_ns : most_ns};
        if (next_ns > 0)
            (void)nanosleep(&pause, NULL);
    }
    p->deed.sent = p->port->counts.sent;
    p->deed.failed = p->port->counts.full + p->port->counts.failed;
    p->deed.for_ns = now_ns() - begin_ns;
}

static void act(struct program *p)
{
    atomic_store(&p->page->acted, true); /* first: from here on the run sends nothing */
    p->deed.in_gateway = atomic_load(&p->page->waiting);
    p->deed.socket_bytes = socket_bytes(p);
    watchdog_tell(&p->teller, &p->deed);
    if (p->port) {
        send_frames(p);
        watchdog_tell(&p->teller, &p->deed);
    }
    watchdog_teller_finish(&p->teller);
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"page", "DESCRIPTOR", NULL, "memory shared with the run, by skidpad run"},
        {"socket", "DESCRIPTOR", NULL, "socket shared with the run (udp), by skidpad run"},
        {0},
    };
    static const struct options_program program = {
        .name = "watchdog",
        .summary = "takes over the bus of a run whose ticks stop (started by skidpad run)",
        .specs = specs,
        .example = "skidpad run config/benches/watched.yaml --for 5",
        .notes = "Not for the command line: skidpad run starts it when the bench file has a "
                 "section `watchdog:`\n(docs/watchdog.md). Status: 0 the run ended in order, 1 it "
                 "has acted, 2 it could not start.",
    };
    static struct program p; /* large: not for the stack */
    struct options o;
    int64_t page = -1, socket = -1;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (!options_given(&o, "page"))
        (void)options_complain(&o, "skidpad run starts this program; give the bench file a section "
                                   "`watchdog:`");
    options_int(&o, "page", &page, 0, 1 << 20);
    if (options_given(&o, "socket"))
        options_int(&o, "socket", &socket, 0, 1 << 20);
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    status = set_up(&p, (int)page, (int)socket);
    if (status)
        return status;
    atomic_store(&p.page->ready, true);
    if (!watch(&p))
        return STATUS_QUIET;
    act(&p);
    return STATUS_ACTED;
}
