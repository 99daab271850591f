/* skidpad ecu: the stand-in ABS unit as a process of its own, on a CAN bus like a real one.
 *
 * One thread runs the cycle of 5 ms: wait, receive, step, send. The main thread waits for signals,
 * shows the state and writes the frames. */
#include "shared/base/latest.h"
#include "shared/base/options.h"
#include "shared/base/time.h"
#include "target/ecu/diag_keep_load.h"
#include "target/ecu/ecu_unit_load.h"
#include "target/io/can_open.h"
#include "target/io/can_record.h"
#include "target/rt/rt.h"
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
    struct diag_kept kept;
};

struct program {
    struct ecu_unit *unit;
    struct can_port *port;
    struct can_record *record; /* may be NULL */
    struct rt rt;
    struct rt_thread thread;
    struct latest view;
    atomic_bool stop;
    int error; /* of the clock; read after the thread has ended */
    struct err start_error;
    const char *store; /* file of what is kept; NULL: nothing is */
    uint32_t saved;    /* changes as of the last time it was written */
    struct can_msg received[FRAMES], sent[FRAMES];
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
    v->cycles++;
    latest_write(&p->view, v, now_ns);
}

static void work(void *argument)
{
    struct program *p = argument;
    struct view v;
    memset(&v, 0, sizeof v);
    p->error = p->rt.ops->start(&p->rt, &p->start_error);
    if (p->error)
        return;
    int64_t release_ns = p->rt.ops->now_ns(&p->rt) + ECU_CYCLE_NS;
    while (!atomic_load(&p->stop)) {
        p->error = p->rt.ops->wait(&p->rt, release_ns);
        if (p->error)
            break;
        int64_t now_ns = p->rt.ops->now_ns(&p->rt);
        if (now_ns - release_ns > v.late_ns)
            v.late_ns = now_ns - release_ns;
        exchange(p, now_ns);
        show(p, &v, now_ns);
        release_ns += ECU_CYCLE_NS;
        if (release_ns <= now_ns) { /* held up: cycles are left out, the pattern stays */
            int64_t missed = (now_ns - release_ns) / ECU_CYCLE_NS + 1;
            v.missed += missed;
            release_ns += missed * ECU_CYCLE_NS;
        }
    }
    p->rt.ops->stop(&p->rt);
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
    printf("\r%-20s %6.1f km/h  %s%s  %5.1f %5.1f %5.1f %5.1f bar  %llu frames in, %llu out  ",
           mode_name(t->mode), 3.6 * t->reference_mps, t->abs_active > 0.5 ? "ABS" : "   ",
           t->ebd_active > 0.5 ? " EBD" : "    ", t->pressure_Pa[ECU_FL] / ECU_BAR_PA,
           t->pressure_Pa[ECU_FR] / ECU_BAR_PA, t->pressure_Pa[ECU_RL] / ECU_BAR_PA,
           t->pressure_Pa[ECU_RR] / ECU_BAR_PA, (unsigned long long)v->counts.received,
           (unsigned long long)v->counts.sent);
    (void)fflush(stdout);
}

static void print_summary(const struct program *p, const struct view *v)
{
    uint64_t not_sent = v->counts.full + v->counts.failed;
    printf("%lld cycles of 5 ms, %lld left out, at most %.2f ms late%s\n", (long long)v->cycles,
           (long long)v->missed, 1e-6 * (double)v->late_ns,
           p->thread.realtime ? "" : " (ordinary scheduling)");
    printf("%llu frames in, %llu out, %llu not sent, %llu wrong or missing\n",
           (unsigned long long)v->counts.received, (unsigned long long)v->counts.sent,
           (unsigned long long)not_sent, (unsigned long long)v->violations);
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
        fprintf(stderr, "skidpad ecu: %s: cannot be written: %s\n", p->store, strerror(-bad));
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

/* Until a signal comes, the time is over or the cycle has ended. */
static void attend(struct program *p, double for_s, bool status)
{
    sigset_t signals;
    struct timespec pause = {.tv_nsec = 50 * NS_PER_MS};
    int64_t end_ns = p->rt.ops->now_ns(&p->rt) + llround(for_s * 1e9);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    for (int n = 0;; n++) {
        int64_t left_ns = end_ns - p->rt.ops->now_ns(&p->rt);
        if (for_s > 0.0 && left_ns <= 0)
            break;
        if (for_s > 0.0 && left_ns < pause.tv_nsec)
            pause.tv_nsec = left_ns;
        if (sigtimedwait(&signals, NULL, &pause) > 0)
            break;
        if (p->record && can_record_drain(p->record))
            fprintf(stderr, "skidpad ecu: the frames can no longer be written\n");
        const struct view *v = latest_read(&p->view, NULL);
        if (v->power != ECU_POWER_ON)
            save(p, v);
        if (p->port->ops->service && n % 20 == 0)
            p->port->ops->service(p->port);
        if (status && n % 4 == 0)
            print_status(v);
    }
    if (status)
        printf("\n");
}

static int open_bus(struct program *p, const char *spec, const char *record, struct err *e)
{
    char words[CAN_SPEC_TEXT];
    const char *names[] = {"ecu"};
    if (spec && strcmp(spec, "auto") != 0)
        (void)snprintf(words, sizeof words, "%s", spec);
    else
        can_open_default(true, words, sizeof words);
    const struct bus *bus = p->unit->bus;
    uint32_t ids[BUS_RECEIVED + 2];
    int count = 0;
    for (uint32_t i = 0; i < bus->received_count; i++)
        ids[count++] = bus->received[i].id;
    if (bus->diagnosis.request)
        ids[count++] = bus->diagnosis.request;
    if (bus->diagnosis.functional)
        ids[count++] = bus->diagnosis.functional;
    struct can_open_setup setup = {.ids = ids, .id_count = count};
    int bad = can_open(&p->port, words, &setup, e);
    if (!bad && record) {
        struct can_record_setup r = {
            .path = record, .names = names, .bus_count = 1, .wall_clock = true};
        bad = can_record_open(&p->record, &r, e);
    }
    return bad;
}

static int start(struct program *p, const struct options *o, int priority, struct err *e)
{
    struct rt_settings s = {
        .cpu = -1, .priority = priority, .allow_nonrt = !options_given(o, "realtime")};
    sigset_t signals;
    bool locked = false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL); /* before the thread inherits the mask */
    int bad = latest_init(&p->view, sizeof(struct view), NULL, NULL);
    if (bad)
        return bad;
    if (priority == 0)
        return rt_thread_start_plain(&p->thread, work, p, e);
    bad = rt_memory_lock(&s, &locked, e);
    return bad ? bad : rt_thread_start(&p->thread, &s, work, p, e);
}

static void close_all(struct program *p)
{
    struct err e = {""};
    if (p->record && can_record_close(p->record, &e))
        fprintf(stderr, "skidpad ecu: %s\n", e.text);
    if (p->port)
        p->port->ops->close(p->port);
    latest_free(&p->view);
    ecu_unit_close(p->unit);
}

static int run(struct program *p, struct options *o, double for_s, int priority)
{
    struct err e = {""};
    p->rt.ops = rt_cores[0];
    int bad = p->rt.ops->open ? p->rt.ops->open(&p->rt, &e) : 0;
    if (!bad)
        bad = open_bus(p, options_text(o, "can"), options_text(o, "record"), &e);
    if (!bad)
        bad = start(p, o, priority, &e);
    if (bad) {
        fprintf(stderr, "skidpad ecu: %s\n", e.text[0] ? e.text : strerror(-bad));
        return STATUS_BAD_INPUT;
    }
    attend(p, for_s, !options_given(o, "quiet") && isatty(STDOUT_FILENO));
    atomic_store(&p->stop, true);
    rt_thread_join(&p->thread);
    const struct view *v = latest_read(&p->view, NULL);
    save(p, v);
    if (!options_given(o, "quiet"))
        print_summary(p, v);
    if (p->error) {
        fprintf(stderr, "skidpad ecu: %s\n",
                p->start_error.text[0] ? p->start_error.text : strerror(-p->error));
        return STATUS_BROKEN;
    }
    return v->stored || v->tx.mode < 0.5 ? STATUS_FAULTS : STATUS_CLEAN;
}

static const char *path_or(const struct options *o, const char *name, const char *file, char *path)
{
    const char *given = options_text(o, name), *folder = getenv("SKIDPAD_CONFIG_DIR");
    if (given && given[0] != '(')
        return given;
    (void)snprintf(path, PATH, "%s/%s", folder ? folder : "config", file);
    return path;
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
        {"priority", "N", "0", "SCHED_FIFO priority of the cycle; 0: an ordinary thread"},
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
            "(docs/ecu.md),\n2 bad input, 3 the clock failed.",
    };
    static struct program p; /* large: not for the stack */
    struct options o;
    char params[PATH], bus[PATH];
    double for_s = 0.0;
    int64_t priority = 0;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    options_double(&o, "for", &for_s, 0.0, 1e9);
    options_int(&o, "priority", &priority, 0, RT_PRIORITY_MAX);
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    status = STATUS_BAD_INPUT;
    p.store = options_given(&o, "store") ? options_text(&o, "store") : NULL;
    if (ecu_unit_open_file(path_or(&o, "params", "ecu/sedan.yaml", params),
                           path_or(&o, "bus", "can/skidpad_chassis.yaml", bus), stderr,
                           &p.unit) == 0 &&
        restore(&p) == 0)
        status = run(&p, &o, for_s, (int)priority);
    close_all(&p);
    return status;
}
