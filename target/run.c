#include "target/run.h"

#include "shared/base/time.h"
#include "target/can_link_load.h"
#include "target/rt/rt_filter.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const double log_seconds = 2.0; /* what the lossless ring holds */

static int refuse(const struct err *e)
{
    fprintf(stderr, "skidpad run: %s\n", e->text);
    return RUN_BAD_INPUT;
}

/* `virtual` waits for the log, so that nothing is lost. */
static void pace(void *argument)
{
    struct run *r = argument;
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    if (r->bench->link)
        can_link_pace(r->bench->link);
    while (ring_fill(&r->loop.records) > ring_capacity(&r->loop.records) / 2 ||
           (r->publish.started &&
            ring_fill(&r->loop.telemetry) > ring_capacity(&r->loop.telemetry) / 2))
        (void)nanosleep(&pause, NULL);
}

static void start_link(struct run *r)
{
    int64_t now_ns = r->rt.ops->now_ns(&r->rt);
    if (r->bench->wait_for_start)
        can_link_drain(r->bench->link, now_ns);
    can_link_start(r->bench->link, now_ns);
}

/* The real-time thread. */
static void work(void *argument)
{
    struct run *r = argument;
    while (sem_wait(&r->go) && errno == EINTR)
        ;
    r->start_status = r->rt.ops->start(&r->rt, &r->start_error);
    if (!r->start_status && r->strict_syscalls)
        r->start_status = rt_filter_install(r->bench->link && can_link_uses_sockets(r->bench->link),
                                            &r->start_error);
    if (!r->start_status && r->bench->link)
        start_link(r);
    if (!r->start_status) {
        loop_run(&r->loop);
        r->rt.ops->stop(&r->rt);
    }
    atomic_store(&r->ended, true);
}

/* What the bench asks of the car's hydraulics, of a car that has none. */
static int check_hydraulics(const struct run *r)
{
    const struct bench *b = r->bench;
    const struct fault *f = fault_needs_hydraulics(&b->faults);
    bool valves = b->link && b->link->takes_valves;
    char what[FAULT_NAME + 40];
    if (r->car.vehicle->car.hydraulics.on || (!valves && !f))
        return 0;
    if (valves)
        (void)snprintf(what, sizeof what, "the unit's frames give currents of valves");
    else
        (void)snprintf(what, sizeof what, "fault %s is one of hydraulics", f->name);
    fprintf(stderr,
            "skidpad run: %s: %s, but the car \"%s\" has no hydraulics: give its vehicle file a "
            "section `brake: hydraulics:`%s\n",
            b->scenario, what, r->car.vehicle->name, valves ? ", or a bus without valves" : "");
    return RUN_BAD_INPUT;
}

static int load_car(struct run *r)
{
    const struct bench *b = r->bench;
    struct offline_options options = {.step_s = 1e-9 * (double)b->loop.period_ns,
                                      .duration_s = b->duration_s,
                                      .integrator = b->integrator,
                                      .vehicle = b->vehicle[0] ? b->vehicle : NULL,
                                      .parameters = &b->parameters};
    if (offline_open(b->scenario, &options, &r->car))
        return RUN_BAD_INPUT;
    return check_hydraulics(r);
}

/* Finds the real-time core and says which it is. */
static int open_core(struct run *r)
{
    struct err e = {""};
    r->rt.ops = r->core;
    if (r->strict_syscalls && r->rt.ops->switch_name)
        return refuse(&(struct err){"--strict-syscalls goes with --rt posix: the other cores tell "
                                    "of every system call of the real-time thread by themselves"});
    if (r->rt.ops->open && r->rt.ops->open(&r->rt, &e))
        return refuse(&e);
    if (r->rt.about[0])
        fprintf(stderr, "skidpad run: %s\n", r->rt.about);
    return 0;
}

static void set_up_loop(struct run *r)
{
    struct bench *b = r->bench;
    double period_s = 1e-9 * (double)b->loop.period_ns;
    if (b->core == BENCH_VIRTUAL) {
        r->rt.pace = pace;
        r->rt.pace_argument = r;
    }
    r->loop.setup = b->loop;
    r->loop.rt = &r->rt;
    r->loop.car = &r->car;
    r->loop.serve = r->serve;
    if (r->serve)
        r->serve->loop = &r->loop;
    loop_faults(&r->loop, b->faults.count > 0 ? &b->faults : &r->car.scenario->faults);
    if (b->link) {
        r->loop.link = &can_link;
        r->loop.peer = b->link;
        r->loop.sequence = &b->sequence;
    }
    r->loop.setup.ticks = (int64_t)llround(r->car.scenario->duration_s / period_s);
    if (b->telemetry) {
        int64_t every = (int64_t)llround(1.0 / (b->telemetry_hz * period_s));
        r->loop.setup.publish_every = every > 1 ? every : 1;
    }
}

/* Signals end the run through run_wait(); no other thread shall take them. A limit of file sizes
 * shall end the log, not the run. */
static int take_signals(struct run *r)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGXFSZ, SIG_IGN);
    r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return r->signals < 0 ? refuse(&(struct err){"signals cannot be taken"}) : 0;
}

/* The stand-in, in a process of its own. */
static int start_unit(struct run *r, struct err *e)
{
    const struct bench *b = r->bench;
    char can[BENCH_PATH];
    int bad = 0;
    if (b->stand_in_can[0] != '\0')
        (void)snprintf(can, sizeof can, "%s", b->stand_in_can);
    else
        bad = stand_in_transport(b->link->bus[0].bus->transport, can, sizeof can, e);
    const struct stand_in_setup setup = {
        .params = b->stand_in,
        .bus = b->stand_in_bus,
        .can = can,
        .priority = b->rt.allow_nonrt || b->rt.priority < 3 ? 0 : b->rt.priority - 2,
        .held = b->wait_for_start};
    return bad ? bad : stand_in_start(&r->stand_in, &setup, e);
}

static int open_buses(struct run *r, bool simulated, struct err *e)
{
    const struct bench *b = r->bench;
    const struct can_link_ports ports = {.simulated = simulated,
                                         .period_ns = b->loop.period_ns,
                                         .priority = b->rt.priority,
                                         .allow_nonrt = b->rt.allow_nonrt,
                                         .gateway = r->rt.ops->switch_name != NULL};
    int bad = can_link_open(b->link, &ports, e);
    return bad || simulated || b->stand_in[0] == '\0' ? bad : start_unit(r, e);
}

static int start_publish(struct run *r, const struct run_info_about *info, struct err *e)
{
    const struct bench *b = r->bench;
    const struct publish_setup setup = {.name = b->telemetry_name,
                                        .host = b->telemetry_host,
                                        .port = b->telemetry_port,
                                        .listen_host = b->listen_host,
                                        .listen_port = b->listen_port,
                                        .key = b->key,
                                        .log = b->log,
                                        .diagnosis = b->link ? &b->link->diagnosis : NULL,
                                        .source = {.about = *info,
                                                   .bench_name = b->name,
                                                   .code_at = r->code_at,
                                                   .code_name = r->code_name}};
    return publish_start(&r->publish, &r->loop, &setup, e);
}

/* The real-time thread first: if it is refused, no file has been touched. */
static int start_threads(struct run *r, const char *bench_path)
{
    struct bench *b = r->bench;
    struct err e = {""};
    log_parameters_text(&b->parameters, r->parameters, sizeof r->parameters);
    const struct run_log_about about = {
        .info = {.bench = bench_path,
                 .scenario = b->scenario,
                 .vehicle = b->vehicle[0] ? b->vehicle : r->car.scenario->vehicle,
                 .core = r->rt.ops->name,
                 .core_about = r->rt.about,
                 .unit = !b->link         ? ""
                         : b->stand_in[0] ? b->stand_in
                                          : "as connected",
                 .parameters = r->parameters},
        .tap = b->telemetry ? &r->publish.tap : NULL};
    bool simulated = b->core == BENCH_VIRTUAL;
    if (b->link && open_buses(r, simulated, &e))
        return refuse(&e);
    if (!simulated && rt_memory_lock(&b->rt, &r->memory_locked, &e))
        return refuse(&e);
    if (loop_rings_init(&r->loop, log_seconds))
        return refuse(&(struct err){
            "out of memory for the rings; a limit of locked memory counts, too (ulimit -l)"});
    if (simulated ? rt_thread_start_plain(&r->thread, work, r, &e)
                  : rt_thread_start(&r->thread, &b->rt, work, r, &e))
        return refuse(&e);
    r->monitor.tid = r->thread.tid;
    atomic_store(&r->loop.waiting, b->wait_for_start);
    if (tune_open(&r->tune, &r->loop))
        return refuse(&(struct err){"out of memory"});
    if (b->telemetry && start_publish(r, &about.info, &e))
        return refuse(&e);
    if (b->link && b->frames[0] != '\0' && can_link_record(b->link, b->frames, simulated, &e))
        return refuse(&e);
    if (run_log_start(&r->log, &r->loop, b->log, &about, &e))
        return refuse(&e);
    if (b->control[0] != '\0' && control_open(&r->control, &r->loop, b->control, &e))
        return refuse(&e);
    r->control.diagnosis = b->link ? &b->link->diagnosis : NULL;
    return b->wait_for_start || sem_post(&r->go) == 0
               ? 0
               : refuse(&(struct err){"the loop could not be started"});
}

int run_open(struct run *r, struct bench *bench, const char *bench_path)
{
    r->bench = bench;
    r->publish.socket = -1;
    r->control.socket = -1;
    (void)sem_init(&r->go, 0, 0);
    if (bench->no_unit) {
        can_link_free(bench->link);
        bench->link = NULL;
    }
    int status = take_signals(r);
    if (status == 0)
        status = load_car(r);
    if (status == 0)
        status = open_core(r);
    if (status)
        return status;
    set_up_loop(r);
    return start_threads(r, bench_path);
}

static void status_line(struct run *r)
{
    const struct loop_live *live = loop_live(&r->loop);
    const struct deadline_now *n = &live->deadlines;
    uint64_t lost = ring_dropped(&r->loop.records);
    char left[32] = "";
    if (n->ticks == 0)
        return;
    if (r->rt.ops->switch_name)
        (void)snprintf(left, sizeof left, "  %s %llu", r->rt.ops->switch_name,
                       (unsigned long long)live->switches);
    /* Short enough for 80 columns; what is left of the last one is erased. */
    fprintf(stderr,
            "\r%.1f s  %.1f km/h  missed %llu  wake-up max %.0f us  tick max %.0f us%s%s%s\033[K",
            1e-9 * (double)(live->tick * r->loop.setup.period_ns), 3.6 * live->speed_mps,
            (unsigned long long)n->misses, 1e-3 * (double)n->spread[DEADLINE_WAKE].max_ns,
            1e-3 * (double)n->spread[DEADLINE_EXECUTION].max_ns, left, lost ? "  LOSSES" : "",
            live->cause ? "  SAFE" : "");
}

/* Whether one came; the others stay for the next call. */
static bool read_signal(int fd)
{
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info;
}

/* The first tick, if it waits for a request and that has come, or for an end. */
static void let_go(struct run *r)
{
    if (!atomic_load(&r->loop.waiting) ||
        !(atomic_load(&r->loop.start) || atomic_load(&r->loop.stop)))
        return;
    if (atomic_load(&r->loop.start))
        stand_in_release(&r->stand_in);
    atomic_store(&r->loop.waiting, false);
    (void)sem_post(&r->go);
}

/* Until the loop has ended. */
static void watch(struct run *r)
{
    const int64_t begin_ns = rt_posix.now_ns(NULL), warm_ns = begin_ns + NS_PER_S;
    bool terminal = isatty(STDERR_FILENO) != 0, simulated = r->bench->core == BENCH_VIRTUAL;
    struct pollfd wake[2] = {{.fd = r->signals, .events = POLLIN},
                             {.fd = r->control.socket, .events = POLLIN}};
    for (unsigned n = 0; !atomic_load(&r->ended); n++) {
        if (poll(wake, 2,
                 simulated                ? 2
                 : r->control.uds.pending ? 5
                                          : 100) > 0 &&
            read_signal(r->signals)) {
            if (r->serve)
                r->serve->next.leave = true;
            r->interrupted = true;
            atomic_store(&r->loop.stop, true);
        }
        control_poll(&r->control);
        let_go(r);
        tune_tend(&r->tune);
        /* Warm-up is over after 1 s. */
        if (!simulated && rt_posix.now_ns(NULL) >= warm_ns && !atomic_load(&r->ended))
            (void)monitor_update(&r->monitor);
        if (r->bench->link)
            can_link_service(r->bench->link);
        if (terminal && !simulated && n % 5 == 4)
            status_line(r);
    }
    r->wall_s = 1e-9 * (double)(rt_posix.now_ns(NULL) - begin_ns);
    if (terminal)
        fprintf(stderr, "\r\033[K");
}

static bool codes_are_wrong(const struct run *r)
{
    return r->bench->link && diagnosis_verdict(&r->bench->link->diagnosis) != DIAGNOSIS_PASS;
}

bool run_was_late(const struct run *r)
{
    return r->loop.cause == CAUSE_MISSED ||
           (int64_t)r->loop.stats.now.misses > r->bench->missed_limit ||
           loop_left_realtime(&r->loop);
}

static int status_of(const struct run *r)
{
    switch (r->loop.cause) {
    case CAUSE_NONE:
    case CAUSE_OPERATOR:
        return run_was_late(r) || codes_are_wrong(r) ? RUN_MISSED : RUN_CLEAN;
    case CAUSE_MISSED:
        return RUN_MISSED;
    default:
        return RUN_FAULT;
    }
}

int run_wait(struct run *r)
{
    watch(r);
    rt_thread_join(&r->thread);
    run_log_finish(&r->log);
    publish_finish(&r->publish);
    if (r->bench->link)
        can_link_finish(r->bench->link);
    if (r->start_status)
        return refuse(&r->start_error);
    if (r->loop.error) {
        fprintf(stderr, "skidpad run: waiting failed: %s\n", strerror(-r->loop.error));
        return RUN_FAULT;
    }
    return status_of(r);
}

void run_close(struct run *r)
{
    if (r->thread.started) {
        atomic_store(&r->loop.stop, true);
        (void)sem_post(&r->go);
        rt_thread_join(&r->thread);
    }
    run_log_finish(&r->log);
    publish_finish(&r->publish);
    control_close(&r->control);
    stand_in_stop(&r->stand_in);
    (void)sem_destroy(&r->go);
    if (r->signals >= 0)
        (void)close(r->signals);
    tune_close(&r->tune);
    loop_rings_free(&r->loop);
    offline_close(&r->car);
}
