/* skidpad ecu: the stand-in ABS unit as a process of its own, on a CAN bus like a real one.
 *
 * One thread runs the cycle of 5 ms: wait, receive, step, send. The main thread waits for signals,
 * shows the state and writes the frames. */
#include "shared/base/console.h"
#include "shared/base/latest.h"
#include "shared/base/options.h"
#include "shared/base/time.h"
#include "target/core_choose.h"
#include "target/ecu/diag_keep_load.h"
#include "target/ecu/ecu_unit_load.h"
#include "target/io/can_open.h"
#include "target/io/can_record.h"
#include "target/rt/rt.h"
#include "target/rt/rt_switch.h"
#include "target/rt/rt_thread.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_CLEAN = 0, STATUS_FAULTS = 1, STATUS_BAD_INPUT = 2, STATUS_BROKEN = 3 };
enum { FRAMES = 512, PATH = 1024 };

/* What the cycle shows to the main thread. */
struct view {
    struct ecu_tx tx;
    struct can_counts counts;
    uint64_t violations;
    int64_t cycles, missed, late_ns; /* late: greatest */
    uint32_t stored;                 /* faults */
    uint32_t power;                  /* enum ecu_power */
    uint64_t switches;               /* times the cycle left real time, where the core counts */
    struct rt_note switch_first;
    uint64_t switch_notes;
    struct diag_kept kept;
};

struct program {
    struct ecu_unit *unit;
    struct can_port *port;
    struct can_record *record; /* may be NULL */
    struct rt rt;
    struct rt_thread thread;
    struct latest view;
    atomic_bool stop, ended;
    int error; /* of the clock; read after the thread has ended */
    struct err start_error;
    int priority;      /* SCHED_FIFO; 0: an ordinary thread */
    bool strict;       /* not without real-time rights */
    const char *store; /* file of what is kept; NULL: nothing is */
    uint32_t saved;    /* changes as of the last time it was written */
    struct can_msg received[FRAMES], sent[FRAMES];
    bool lost; /* something that was to be kept could not be written */
};

/* ---- the cycle */

static void exchange(struct program *p, int64_t now_ns)
{
    int n = 0, got;
    do { /* a batch at a time; what is beyond FRAMES waits for the next cycle */
        got = p->port->ops->receive(p->port, now_ns, p->received + n, FRAMES - n);
        n += got;
    } while (got == CAN_BATCH && n < FRAMES);
    if (p->record && n > 0)
        can_record_received(p->record, p->received, n);
    ecu_unit_take(p->unit, now_ns, p->received, n);
    int due = ecu_unit_cycle(p->unit, now_ns, p->sent, FRAMES);
    for (int i = 0; i < due; i++)
        p->sent[i].time_ns = now_ns;
    /* What is not taken is counted by the port. */
    int sent = due > 0 ? p->port->ops->send(p->port, p->sent, due) : 0;
    if (p->record && sent > 0)
        can_record_sent(p->record, p->port, now_ns, p->sent, sent);
}

static void show(struct program *p, struct view *v, int64_t now_ns)
{
    v->tx = p->unit->tx;
    v->counts = p->port->counts;
    v->violations = p->unit->violations;
    v->stored = p->unit->state.faults.stored;
    v->power = p->unit->state.power.state;
    if (p->store)
        diag_keep(&p->unit->diag, &p->unit->state.power, &v->kept);
    struct rt_note note;
    while (rt_switch_take(&p->rt, &note))
        if (v->switch_notes++ == 0)
            v->switch_first = note;
    v->switches = p->rt.ops->switches(&p->rt);
    v->cycles++;
    latest_write(&p->view, v, now_ns);
}

static void cycle(struct program *p)
{
    struct view v;
    memset(&v, 0, sizeof v);
    int64_t release_ns = p->rt.ops->now_ns(&p->rt) + ECU_CYCLE_NS;
    while (!atomic_load(&p->stop)) {
        p->error = p->rt.ops->wait(&p->rt, release_ns);
        if (p->error)
            break;
        int64_t now_ns = p->rt.ops->now_ns(&p->rt);
        if (now_ns - release_ns > v.late_ns)
            v.late_ns = now_ns - release_ns;
        atomic_store_explicit(&p->rt.tick, v.cycles, memory_order_relaxed);
        exchange(p, now_ns);
        show(p, &v, now_ns);
        release_ns += ECU_CYCLE_NS;
        if (release_ns <= now_ns) { /* held up: cycles are left out, the pattern stays */
            int64_t missed = (now_ns - release_ns) / ECU_CYCLE_NS + 1;
            v.missed += missed;
            release_ns += missed * ECU_CYCLE_NS;
        }
    }
}

static void work(void *argument)
{
    struct program *p = argument;
    p->error = rt_start(&p->rt, &p->start_error);
    if (!p->error) {
        cycle(p);
        p->rt.ops->stop(&p->rt);
    }
    atomic_store(&p->ended, true);
}

/* ---- the main thread */

static const char *mode_name(double mode)
{
    static const char *const names[] = {"start", "ready", "no stability control", "EBD only",
                                        "passive"};
    int n = (int)mode;
    return n >= 0 && n < 5 ? names[n] : "?";
}

static void print_status(const struct view *v)
{
    const struct ecu_tx *t = &v->tx;
    char text[CONSOLE_STATUS];
    (void)snprintf(text, sizeof text,
                   "%-20s %6.1f km/h  %s%s  %5.1f %5.1f %5.1f %5.1f bar  %llu frames in, %llu out",
                   mode_name(t->mode), 3.6 * t->reference_mps, t->abs_active > 0.5 ? "ABS" : "   ",
                   t->ebd_active > 0.5 ? " EBD" : "    ", t->pressure_Pa[ECU_FL] / ECU_BAR_PA,
                   t->pressure_Pa[ECU_FR] / ECU_BAR_PA, t->pressure_Pa[ECU_RL] / ECU_BAR_PA,
                   t->pressure_Pa[ECU_RR] / ECU_BAR_PA, (unsigned long long)v->counts.received,
                   (unsigned long long)v->counts.sent);
    console_status(text);
}

static void print_switches(const struct program *p, const struct view *v)
{
    printf("%llu %s since the warm-up (%llu before)", (unsigned long long)v->switches,
           p->rt.ops->switch_name, (unsigned long long)p->rt.switches_start);
    if (v->switch_notes > 0)
        printf(", LEFT REAL TIME first in cycle %lld: %s", (long long)v->switch_first.tick,
               p->rt.ops->reason_name(v->switch_first.reason));
    if (p->port->flow.left > 0)
        printf(", and %llu of the thread that sends", (unsigned long long)p->port->flow.left);
    printf("\n");
}

static void print_summary(const struct program *p, const struct view *v)
{
    const struct can_counts *n = &p->port->counts;
    uint64_t not_sent = n->full + n->failed + n->replaced;
    printf("%lld cycles of 5 ms, %lld left out, at most %.2f ms late%s\n", (long long)v->cycles,
           (long long)v->missed, 1e-6 * (double)v->late_ns,
           p->thread.realtime ? "" : " (ordinary scheduling)");
    printf("%llu frames in, %llu out, %llu not sent, %llu wrong or missing\n",
           (unsigned long long)n->received, (unsigned long long)n->sent,
           (unsigned long long)not_sent, (unsigned long long)v->violations);
    if (p->port->flow.out.frames > 0)
        printf("send queue at most %llu frames, cycle to driver mean %.3f, max %.3f ms\n",
               (unsigned long long)p->port->flow.depth_max,
               1e-6 * (double)p->port->flow.out.sum_ns / (double)p->port->flow.out.frames,
               1e-6 * (double)p->port->flow.out.max_ns);
    if (p->rt.ops->switch_name)
        print_switches(p, v);
    printf("mode: %s\n", mode_name(v->tx.mode));
    for (int id = 0; id < ECU_FAULTS; id++)
        if (v->stored >> id & 1u)
            printf("fault %d: %s\n", id + 1, ecu_fault_table[id].text);
}

/* After the ignition and at the end, as a real one does in its after-run. */
static void save(struct program *p, const struct view *v)
{
    if (!p->store || v->kept.changes == p->saved || v->cycles == 0)
        return;
    int bad = diag_keep_save(p->store, &v->kept);
    if (bad)
        console_say("skidpad ecu: %s: cannot be written: %s\n", p->store, strerror(-bad));
    p->lost = p->lost || bad;
    p->saved = v->kept.changes;
}

static int restore(struct program *p)
{
    struct diag_kept kept;
    if (!p->store)
        return 0;
    diag_keep(&p->unit->diag, &p->unit->state.power, &kept);
    int bad = diag_keep_load(p->store, &kept, stderr);
    if (!bad)
        diag_restore(&p->unit->diag, &p->unit->state.power, &kept);
    p->saved = kept.changes;
    return bad;
}

/* Until a signal comes, the time is over or the cycle has ended. Returns whether its start hangs.
 */
static bool attend(struct program *p, double for_s, bool status)
{
    const int64_t begin_ns = rt_posix.now_ns(NULL);
    bool hangs = false, asked = false;
    sigset_t signals;
    struct timespec pause = {.tv_nsec = 50 * NS_PER_MS};
    int64_t end_ns = p->rt.ops->now_ns(&p->rt) + llround(for_s * 1e9);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    /* The bus and the log of frames must not wait for a terminal. Without: it writes directly. */
    (void)console_start(NULL);
    for (int n = 0; !atomic_load(&p->ended) && !hangs; n++) {
        hangs = rt_start_hangs(&p->rt, begin_ns, asked, &p->start_error);
        int64_t left_ns = end_ns - p->rt.ops->now_ns(&p->rt);
        if (for_s > 0.0 && left_ns <= 0)
            break;
        if (for_s > 0.0 && left_ns < pause.tv_nsec)
            pause.tv_nsec = left_ns;
        asked = sigtimedwait(&signals, NULL, &pause) > 0 || asked;
        if (asked && atomic_load(&p->rt.begun))
            break;
        if (p->record && can_record_drain(p->record))
            console_say("skidpad ecu: the frames can no longer be written\n");
        const struct view *v = latest_read(&p->view, NULL);
        if (v->power != ECU_POWER_ON)
            save(p, v);
        if (p->port->ops->service && n % 20 == 0)
            p->port->ops->service(p->port);
        if (status && n % 4 == 0)
            print_status(v);
    }
    console_stop(500);
    return hangs;
}

static int open_bus(struct program *p, const char *spec, const char *record, struct err *e)
{
    char words[CAN_SPEC_TEXT];
    const char *names[] = {"ecu"};
    if (spec && strcmp(spec, "auto") != 0)
        (void)snprintf(words, sizeof words, "%s", spec);
    else
        can_open_default(true, false, words, sizeof words);
    const struct bus *bus = p->unit->bus;
    uint32_t ids[BUS_RECEIVED + 2];
    int count = 0;
    for (uint32_t i = 0; i < bus->received_count; i++)
        ids[count++] = bus->received[i].id;
    if (bus->diagnosis.request)
        ids[count++] = bus->diagnosis.request;
    if (bus->diagnosis.functional)
        ids[count++] = bus->diagnosis.functional;
    const struct can_open_setup setup = {
        .ids = ids,
        .id_count = count,
        .sender = {.period_ns = ECU_CYCLE_NS,
                   .priority = p->priority > 1 ? p->priority - 1 : 1,
                   .cpu = -1,
                   .allow_nonrt = !p->strict}};
    int bad = can_open(&p->port, words, &setup, e);
    if (!bad && record) {
        struct can_record_setup r = {
            .path = record, .names = names, .bus_count = 1, .wall_clock = true};
        bad = can_record_open(&p->record, &r, e);
    }
    return bad;
}

static int start(struct program *p, struct err *e)
{
    struct rt_settings s = {.cpu = -1, .priority = p->priority, .allow_nonrt = !p->strict};
    sigset_t signals;
    bool locked = false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL); /* before the thread inherits the mask */
    int bad = latest_init(&p->view, sizeof(struct view), NULL, NULL);
    if (bad)
        return bad;
    if (p->priority == 0)
        return rt_thread_start_plain(&p->thread, work, p, e);
    bad = rt_memory_lock(&s, &locked, e);
    return bad ? bad : rt_thread_start(&p->thread, &s, work, p, e);
}

static void close_record(struct program *p)
{
    struct err e = {""};
    if (!p->record)
        return;
    (void)can_record_drain(p->record);
    uint64_t lost = can_record_lost(p->record);
    if (lost > 0)
        (void)err_set(&e, -EIO, "%llu frames are not in the log of frames",
                      (unsigned long long)lost);
    if (can_record_close(p->record, &e) || lost > 0) {
        fprintf(stderr, "skidpad ecu: %s\n", e.text);
        p->lost = true;
    }
    p->record = NULL;
}

static void close_all(struct program *p)
{
    close_record(p);
    if (p->port)
        p->port->ops->close(p->port);
    latest_free(&p->view);
    ecu_unit_close(p->unit);
}

/* A thread of Cobalt's has a priority; the default is one below those of a run. */
static int choose_priority(struct program *p, const struct options *o, int64_t priority)
{
    enum { CORE_PRIORITY = 70 };
    p->priority = (int)priority;
    if (!p->rt.ops->switch_name || priority > 0)
        return 0;
    if (options_given(o, "priority")) {
        fprintf(
            stderr,
            "skidpad ecu: --priority 0: a thread of the core %s needs SCHED_FIFO: give 1 to %d, "
            "or leave it out (%d)\n",
            p->rt.ops->name, RT_PRIORITY_MAX, CORE_PRIORITY);
        return STATUS_BAD_INPUT;
    }
    p->priority = CORE_PRIORITY;
    return 0;
}

/* The thread cannot be joined: the process ends as it is. */
static void give_up(const struct program *p)
{
    fprintf(stderr, "skidpad ecu: %s\n", p->start_error.text);
    (void)fflush(NULL);
    _exit(STATUS_BAD_INPUT);
}

static int run(struct program *p, struct options *o, double for_s)
{
    struct err e = {""};
    int bad = p->rt.ops->open ? p->rt.ops->open(&p->rt, &e) : 0;
    if (!bad)
        bad = open_bus(p, options_text(o, "can"), options_text(o, "record"), &e);
    if (!bad)
        bad = start(p, &e);
    if (bad) {
        fprintf(stderr, "skidpad ecu: %s\n", e.text[0] ? e.text : strerror(-bad));
        return STATUS_BAD_INPUT;
    }
    if (attend(p, for_s, !options_given(o, "quiet") && isatty(STDERR_FILENO)))
        give_up(p);
    atomic_store(&p->stop, true);
    rt_thread_join(&p->thread);
    if (p->port->ops->finish)
        p->port->ops->finish(p->port);
    const struct view *v = latest_read(&p->view, NULL);
    save(p, v);
    close_record(p);
    if (!options_given(o, "quiet"))
        print_summary(p, v);
    if (options_given(o, "quiet") && (v->switches > 0 || p->port->flow.left > 0))
        print_switches(p, v); /* nobody else knows */
    if (p->error) {
        fprintf(stderr, "skidpad ecu: %s\n",
                p->start_error.text[0] ? p->start_error.text : strerror(-p->error));
        return STATUS_BROKEN;
    }
    return p->lost || v->stored || v->tx.mode < 0.5 || v->switches > 0 ? STATUS_FAULTS
                                                                       : STATUS_CLEAN;
}

static const char *path_or(const struct options *o, const char *name, const char *file, char *path)
{
    const char *given = options_text(o, name), *folder = getenv("SKIDPAD_CONFIG_DIR");
    if (given && given[0] != '(')
        return given;
    (void)snprintf(path, PATH, "%s/%s", folder ? folder : "config", file);
    return path;
}

/* RT-Socket-CAN, asked of the ordinary program. */
static bool belongs_to_cobalt(const struct options *o, const struct program *p)
{
    const char *can = options_text(o, "can");
    return can && strncmp(can, "rtdm:", 5) == 0 && strcmp(p->rt.ops->name, "cobalt") != 0;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"can", "BUS", "auto", "socketcan:can1, udp:20001:20000; auto: an interface, else udp"},
        {"params", "FILE", "(ecu/sedan.yaml)", "parameters of the unit"},
        {"bus", "FILE", "(can/skidpad_chassis.yaml)", "description of the bus"},
        {"for", "SECONDS", "0", "stop after this time; 0: until Ctrl-C"},
        {"store", "FILE", NULL, "keep trouble codes and zero points there over runs"},
        {"record", "FILE", NULL, "write every frame to a candump log"},
        {"priority", "N", "0",
         "SCHED_FIFO priority of the cycle; 0: an ordinary thread (Cobalt: 70)"},
        {"realtime", NULL, NULL, "do not go on without real-time rights"},
        {"quiet", NULL, NULL, "no state line, no summary"},
        {0},
    };
    static const struct options_program program = {
        .name = "ecu",
        .summary = "the stand-in ABS unit on a CAN bus",
        .specs = specs,
        .example = "skidpad ecu --can udp:20001:20000 --for 5",
        .notes =
            "The other end is skidpad run with the same bus. Status: 0 no fault found, 1 faults "
            "(docs/ecu.md)\nor real time left, 2 bad input, 3 the clock failed.",
    };
    static struct program p; /* large: not for the stack */
    struct options o;
    char params[PATH], bus[PATH];
    double for_s = 0.0;
    int64_t priority = 0;
    struct err e = {""};
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    options_double(&o, "for", &for_s, 0.0, 1e9);
    options_int(&o, "priority", &priority, 0, RT_PRIORITY_MAX);
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    p.rt.ops = rt_cores[0];
    p.rt.name = "skidpad-ecu";
    p.strict = options_given(&o, "realtime");
    if (belongs_to_cobalt(&o, &p) && core_hand_over(BENCH_COBALT, "ecu", argv, &e)) {
        fprintf(stderr, "skidpad ecu: %s\n", e.text);
        return STATUS_BAD_INPUT;
    }
    if (choose_priority(&p, &o, priority))
        return STATUS_BAD_INPUT;
    rt_ignore_stray_signals();
    status = STATUS_BAD_INPUT;
    p.store = options_given(&o, "store") ? options_text(&o, "store") : NULL;
    if (ecu_unit_open_file(path_or(&o, "params", "ecu/sedan.yaml", params),
                           path_or(&o, "bus", "can/skidpad_chassis.yaml", bus), stderr,
                           &p.unit) == 0 &&
        restore(&p) == 0)
        status = run(&p, &o, for_s);
    close_all(&p);
    return status;
}
