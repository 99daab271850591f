#include "target/run.h"

#include "shared/base/console.h"
#include "shared/base/time.h"
#include "target/can_link_load.h"
#include "target/rt/rt_filter.h"
#include "target/rt/rt_thread.h"

#include <errno.h>
#include <grp.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double log_seconds = 2.0; /* what the lossless ring holds */
/* For whoever reads stderr, at the end. */
static const int console_patience_ms = 500;

static int refuse(const struct err *e)
{
    console_say("skidpad run: %s\n", e->text);
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
    r->start_status = rt_start(&r->rt, &r->start_error);
    if (!r->start_status && r->strict_syscalls)
        r->start_status = rt_filter_install(r->bench->link && can_link_uses_sockets(r->bench->link),
                                            &r->start_error);
    if (!r->start_status && r->bench->link)
        start_link(r);
    if (!r->start_status) {
        watchdog_arm(&r->watchdog);
        loop_run(&r->loop);
        watchdog_release(&r->watchdog, r->loop.error != 0);
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
    if (r->car.vehicle->facts.hydraulics->on || (!valves && !f))
        return 0;
    if (valves)
        (void)snprintf(what, sizeof what, "the unit's frames give currents of valves");
    else
        (void)snprintf(what, sizeof what, "fault %s is one of hydraulics", f->name);
    console_say(
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
        console_say("skidpad run: %s\n", r->rt.about);
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
    loop_faults(&r->loop, b->faults.count > 0 ? &b->faults : &r->car.scenario->faults);
    if (b->link) {
        r->loop.link = &can_link;
        r->loop.peer = b->link;
        r->loop.sequence = &b->sequence;
    }
    r->loop.setup.ticks = offline_ticks(&r->car);
    if (b->telemetry) {
        int64_t every = (int64_t)llround(1.0 / (b->telemetry_hz * period_s));
        r->loop.setup.publish_every = every > 1 ? every : 1;
    }
}

/* Signals end the run through run_wait(); no other thread shall take them. */
static int take_signals(struct run *r)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    rt_ignore_stray_signals();
    r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return r->signals < 0 ? refuse(&(struct err){"signals cannot be taken"}) : 0;
}

/* Below the loop and what sends for it. Threads of the Cobalt core need one in any case. */
static int stand_in_priority(const struct rt_settings *s, const char *can)
{
    bool core = strncmp(can, "rtdm:", 5) == 0;
    int below = s->priority - 2;
    if (s->allow_nonrt && !core && !rt_may_be_realtime())
        return 0;
    return below > 0 ? below : core ? 1 : 0;
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
        bad = stand_in_transport(b->link->bus[0].bus->transport, can_link_has_fd(b->link, 0), can,
                                 sizeof can, e);
    const struct stand_in_setup setup = {.params = b->stand_in,
                                         .bus = b->stand_in_bus,
                                         .can = can,
                                         .priority = stand_in_priority(&b->rt, can),
                                         .held = b->wait_for_start};
    return bad ? bad : stand_in_start(&r->stand_in, &setup, e);
}

/* Before the buses are opened: their ports look there whether they may send. */
static int prepare_watchdog(struct run *r, bool simulated, struct err *e)
{
    const struct bench *b = r->bench;
    if (!b->watchdog)
        return 0;
    if (simulated)
        return err_set(e, -EINVAL,
                       "a watchdog watches a real clock: give --no-watchdog to drive this bench on "
                       "the simulated one");
    struct watchdog_plan *plan = b->watchdog;
    (void)snprintf(plan->bench, sizeof plan->bench, "%s", b->name);
    if (plan->report[0] == '\0' && b->log[0] != '\0')
        (void)snprintf(plan->report, sizeof plan->report, "%.*s.watchdog", WATCHDOG_PATH - 10,
                       b->log);
    plan->allow_nonrt = b->rt.allow_nonrt;
    plan->not_cpu = b->rt.cpu;
    return watchdog_prepare(&r->watchdog, plan, e);
}

static int open_buses(struct run *r, bool simulated, struct err *e)
{
    const struct bench *b = r->bench;
    int bad = prepare_watchdog(r, simulated, e);
    if (bad)
        return bad;
    const struct can_link_ports ports = {.simulated = simulated,
                                         .period_ns = b->loop.period_ns,
                                         .priority = b->rt.priority,
                                         .cpu = b->rt.cpu,
                                         .allow_nonrt = b->rt.allow_nonrt,
                                         .gateway = r->rt.ops->switch_name != NULL,
                                         .mute =
                                             r->watchdog.page ? &r->watchdog.page->acted : NULL};
    bad = can_link_open(b->link, &ports, e);
    if (!bad && r->watchdog.page)
        bad = watchdog_start(&r->watchdog, b->link, e);
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
                                        .commands = &r->commands,
                                        .source = {.about = *info,
                                                   .bench_name = b->name,
                                                   .serve = r->serve,
                                                   .code_at = r->code_at,
                                                   .code_name = r->code_name}};
    return publish_start(&r->publish, &r->loop, &setup, e);
}

/* Only its owner may use it, unless the bench names a group. */
static int share_control(const struct bench *b, struct err *e)
{
    if (b->control_group[0] == '\0')
        return 0;
    /* Before the other threads. */
    /* cppcheck-suppress getgrnamCalled */
    const struct group *g = getgrnam(b->control_group);
    if (!g)
        return err_set(e, -ENOENT, "control_group: there is no group \"%s\"", b->control_group);
    if (chown(b->control, (uid_t)-1, g->gr_gid) || chmod(b->control, 0660))
        return err_set(e, -errno, "%s: cannot be given to the group \"%s\": %s", b->control,
                       b->control_group, strerror(errno));
    return 0;
}

/* Whatever another run may hold, before anything of it is disturbed: its log, its log of frames,
 * its socket. What is there of older runs stays until keep_outputs(). */
static int open_outputs(struct run *r, const struct run_log_about *about, struct err *e)
{
    const struct bench *b = r->bench;
    int bad = run_log_open(&r->log, &r->loop, b->log, about, e);
    if (!bad && b->link && b->frames[0] != '\0')
        bad = can_link_record(b->link, b->frames, b->core == BENCH_VIRTUAL, e);
    if (!bad && b->control[0] != '\0')
        bad = control_open(&r->control, &r->commands, b->control, e);
    if (!bad && b->control[0] != '\0')
        bad = share_control(b, e);
    r->control.diagnosis = b->link ? &b->link->diagnosis : NULL;
    return bad;
}

static int keep_outputs(struct run *r, struct err *e)
{
    int bad = r->bench->link ? can_link_record_keep(r->bench->link, e) : 0;
    return bad ? bad : run_log_start(&r->log, e);
}

static struct run_log_about about_log(struct run *r, const char *bench_path)
{
    const struct bench *b = r->bench;
    struct run_log_about about = {
        .info = {.bench = bench_path,
                 .scenario = b->scenario,
                 .vehicle = b->vehicle[0] ? b->vehicle : r->car.scenario->vehicle,
                 .core = r->rt.ops->name,
                 .core_about = r->rt.about,
                 .unit = !b->link         ? ""
                         : b->stand_in[0] ? b->stand_in
                                          : "as connected",
                 .parameters = r->parameters},
        .tap = b->telemetry ? &r->publish.tap : NULL,
        .sync_ns = (int64_t)llround(1e9 * b->sync_s)};
    if (b->link && b->frames[0] != '\0')
        about.also = (struct run_log_also){
            .self = b->link, .drain = can_link_record_drain, .sync = can_link_record_sync};
    return about;
}

/* Rings and the real-time thread, which waits for r->go. */
static int start_loop(struct run *r, bool simulated, struct err *e)
{
    const struct bench *b = r->bench;
    int bad = simulated ? 0 : rt_memory_lock(&b->rt, &r->memory_locked, e);
    if (bad)
        return bad;
    if (loop_rings_init(&r->loop, log_seconds))
        return err_set(e, -ENOMEM,
                       "out of memory for the rings; a limit of locked memory counts, too "
                       "(ulimit -l)");
    bad = simulated ? rt_thread_start_plain(&r->thread, work, r, e)
                    : rt_thread_start(&r->thread, &b->rt, work, r, e);
    if (bad)
        return bad;
    r->monitor.tid = r->thread.tid;
    atomic_store(&r->loop.waiting, b->wait_for_start);
    bad = commands_open(&r->commands, &r->loop, r->serve, true, e);
    if (r->log.mdf)
        r->commands.covered_ns = &r->log.covered_ns;
    return bad;
}

/* Until all of it is there, no file of an older run has been touched. */
static int start_threads(struct run *r, const char *bench_path)
{
    struct bench *b = r->bench;
    struct err e = {""};
    log_parameters_text(&b->parameters, r->parameters, sizeof r->parameters);
    const struct run_log_about about = about_log(r, bench_path);
    bool simulated = b->core == BENCH_VIRTUAL;
    int bad = open_outputs(r, &about, &e);
    if (!bad && b->link)
        bad = open_buses(r, simulated, &e);
    if (!bad)
        bad = start_loop(r, simulated, &e);
    if (!bad && b->telemetry)
        bad = start_publish(r, &about.info, &e);
    if (!bad)
        bad = keep_outputs(r, &e);
    if (!bad && !b->wait_for_start && sem_post(&r->go))
        bad = err_set(&e, -errno, "the loop could not be started");
    return bad ? refuse(&e) : 0;
}

int run_open(struct run *r, struct bench *bench, const char *bench_path)
{
    struct err e = {""};
    r->bench = bench;
    r->publish.socket = -1;
    r->control.socket = -1;
    r->signals = -1;
    (void)sem_init(&r->go, 0, 0);
    if (bench->no_unit) {
        can_link_free(bench->link);
        bench->link = NULL;
    }
    /* Signals end a run that still waits for its files. Cobalt is tried in a process of its own,
     * which is made before there are threads. */
    int status = load_car(r);
    if (status == 0)
        status = open_core(r);
    if (status == 0)
        status = take_signals(r);
    if (status == 0)
        status = console_start(&e) ? refuse(&e) : 0;
    if (status)
        return status;
    set_up_loop(r);
    return start_threads(r, bench_path);
}

static void status_line(struct run *r)
{
    const struct loop_live *live = loop_live(&r->loop);
    const struct deadline_now *n = &live->deadlines;
    bool lost = ring_dropped(&r->loop.records) > 0 || atomic_load(&r->log.error) != 0;
    char left[32] = "";
    if (n->ticks == 0)
        return;
    if (r->rt.ops->switch_name)
        (void)snprintf(left, sizeof left, "  %s %llu", r->rt.ops->switch_name,
                       (unsigned long long)live->switches);
    char text[CONSOLE_STATUS]; /* short enough for 80 columns */
    (void)snprintf(text, sizeof text,
                   "%.1f s  %.1f km/h  missed %llu  wake-up max %.0f us  tick max %.0f us%s%s%s",
                   1e-9 * (double)(live->tick * r->loop.setup.period_ns), 3.6 * live->speed_mps,
                   (unsigned long long)n->misses, 1e-3 * (double)n->spread[DEADLINE_WAKE].max_ns,
                   1e-3 * (double)n->spread[DEADLINE_EXECUTION].max_ns, left,
                   lost ? "  LOSSES" : "", live->cause ? "  SAFE" : "");
    console_status(text);
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
    if (!atomic_load(&r->loop.waiting) || !loop_may_begin(&r->loop))
        return;
    if (r->loop.begins)
        stand_in_release(&r->stand_in);
    atomic_store(&r->loop.waiting, false);
    (void)sem_post(&r->go);
}

/* How long the thread that watches may sleep. */
static int watch_ms(const struct run *r)
{
    if (control_is_waiting(&r->control))
        return 1;
    if (r->bench->core == BENCH_VIRTUAL || atomic_load(&r->loop.waiting))
        return 2;
    return 100;
}

/* What cannot be waited for is looked at often: signals and requests are served all the same. */
static void wait_for_any(struct pollfd *wake, nfds_t count, int ms)
{
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    if (poll(wake, count, ms) < 0 && errno != EINTR)
        (void)nanosleep(&pause, NULL);
}

/* Until the loop has ended. */
static void watch(struct run *r)
{
    const int64_t begin_ns = rt_posix.now_ns(NULL), warm_ns = begin_ns + NS_PER_S;
    bool simulated = r->bench->core == BENCH_VIRTUAL;
    int64_t go_ns = 0; /* when the real-time thread was let go */
    struct pollfd wake[2] = {{.fd = r->signals, .events = POLLIN},
                             {.fd = r->control.socket, .events = POLLIN}};
    for (unsigned n = 0; !atomic_load(&r->ended) && !r->hangs; n++) {
        wait_for_any(wake, 2, watch_ms(r));
        if (read_signal(r->signals)) {
            if (r->serve)
                r->serve->next.leave = true;
            r->interrupted = true;
            atomic_store(&r->loop.stop, true);
        }
        control_poll(&r->control);
        let_go(r);
        if (!watchdog_tend(&r->watchdog))
            console_say("skidpad run: the watchdog has ended or hangs: this run is not watched\n");
        if (go_ns == 0 && !atomic_load(&r->loop.waiting))
            go_ns = rt_posix.now_ns(NULL);
        r->hangs = go_ns != 0 && rt_start_hangs(&r->rt, go_ns, r->interrupted, &r->start_error);
        /* Warm-up is over after 1 s. */
        if (!simulated && rt_posix.now_ns(NULL) >= warm_ns && !atomic_load(&r->ended))
            (void)monitor_update(&r->monitor);
        if (r->bench->link)
            can_link_service(r->bench->link);
        if (!simulated && n % 5 == 4)
            status_line(r);
    }
    r->wall_s = 1e-9 * (double)(rt_posix.now_ns(NULL) - begin_ns);
    console_status("");
}

/* Nobody carries out anything any more: what is on its way is answered so. */
static void end_requests(struct run *r)
{
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    requests_close(&r->loop.requests);
    control_poll(&r->control);
    for (int i = 0; i < 1000 && control_is_waiting(&r->control) && !r->control.uds.pending; i++) {
        (void)nanosleep(&pause, NULL); /* for what is being prepared */
        control_poll(&r->control);
    }
}

/* The thread that hangs cannot be joined, and holds what it was given. */
static void give_up(struct run *r)
{
    run_log_finish(&r->log);
    publish_finish(&r->publish);
    control_close(&r->control);
    stand_in_stop(&r->stand_in);
    watchdog_release(&r->watchdog, false); /* nothing was ever sent */
    watchdog_close(&r->watchdog);
    (void)refuse(&r->start_error);
    console_stop(console_patience_ms);
    (void)fflush(NULL);
    _exit(RUN_BAD_INPUT);
}

int run_wait(struct run *r)
{
    watch(r);
    if (r->hangs)
        give_up(r);
    rt_thread_join(&r->thread);
    (void)stand_in_alive(&r->stand_in);
    watchdog_finish(&r->watchdog);
    end_requests(r);
    run_log_finish(&r->log);
    publish_finish(&r->publish);
    if (r->bench->link)
        can_link_finish(r->bench->link);
    if (r->start_status)
        (void)refuse(&r->start_error);
    console_stop(console_patience_ms);
    return r->start_status ? RUN_BAD_INPUT : run_status(r, NULL, 0);
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
    if (r->bench && r->bench->link)
        r->bench->link->watchdog = NULL;
    watchdog_close(&r->watchdog);
    (void)sem_destroy(&r->go);
    if (r->signals >= 0)
        (void)close(r->signals);
    commands_close(&r->commands);
    loop_rings_free(&r->loop);
    offline_close(&r->car);
    console_stop(console_patience_ms);
}
