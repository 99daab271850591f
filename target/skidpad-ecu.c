/* skidpad ecu: the stand-in ABS unit in a process of its own, over CAN only. */
#include "shared/base/options.h"
#include "shared/base/time.h"
#include "target/ecu/ecu_unit_load.h"
#include "target/io/can_open.h"
#include "target/rt/rt.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

static void config_path(const char *given, const char *name, char *path, size_t size)
{
    const char *folder = getenv("SKIDPAD_CONFIG_DIR");
    if (given)
        (void)snprintf(path, size, "%s", given);
    else
        (void)snprintf(path, size, "%s/%s", folder ? folder : "config", name);
}

/* A unit has its own clock and its own CPU; here it gets what the user may give. */
static void take_priority(int64_t priority)
{
    const struct sched_param p = {.sched_priority = (int)priority};
    if (priority > 0 && (sched_setscheduler(0, SCHED_FIFO, &p) || mlockall(MCL_CURRENT)))
        fprintf(stderr, "skidpad ecu: no real-time priority: %s; going on without\n",
                strerror(errno));
}

static void status_line(const struct ecu_unit *u, const struct can_port *port)
{
    static const char *const modes[] = {"start", "ready", "no model", "EBD only", "passive"};
    const struct ecu_tx *t = &u->tx;
    int mode = (int)t->mode;
    fprintf(stderr,
            "\r%-8s %6.1f km/h  %s  %5.1f %5.1f %5.1f %5.1f bar  frames in %llu out %llu  "
            "violations %llu ",
            mode >= 0 && mode < 5 ? modes[mode] : "?", 3.6 * t->reference_mps,
            t->abs_active > 0.0 ? "ABS" : "   ", 1e-5 * t->pressure_Pa[0], 1e-5 * t->pressure_Pa[1],
            1e-5 * t->pressure_Pa[2], 1e-5 * t->pressure_Pa[3],
            (unsigned long long)port->counts.received, (unsigned long long)port->counts.sent,
            (unsigned long long)u->violations);
}

/* Cycles until the end; every frame that has come is taken at the start of a cycle. */
static int run(struct ecu_unit *u, struct can_port *port, double for_s, bool show)
{
    enum { MAX = 4 * CAN_BATCH };
    static struct can_msg in[MAX], out[CAN_BATCH];
    struct rt rt = {.ops = &rt_posix};
    int64_t start_ns = rt_posix.now_ns(&rt), next_ns = start_ns;
    int64_t end_ns = for_s > 0.0 ? start_ns + (int64_t)(1e9 * for_s) : INT64_MAX;
    for (int64_t cycle = 0; !ended && next_ns < end_ns; cycle++) {
        int bad = rt_posix.wait(&rt, next_ns);
        if (bad && bad != -EINTR) {
            fprintf(stderr, "skidpad ecu: waiting failed: %s\n", strerror(-bad));
            return 1;
        }
        int64_t now_ns = rt_posix.now_ns(&rt);
        int n = 0, got;
        do {
            got = port->ops->receive(port, now_ns, in + n, MAX - n);
            n += got;
        } while (got == CAN_BATCH && n < MAX);
        ecu_unit_take(u, now_ns, in, n);
        n = ecu_unit_cycle(u, now_ns, out, CAN_BATCH);
        if (n > 0)
            (void)port->ops->send(port, out, n); /* what was not taken is counted */
        if (port->ops->service && cycle % 200 == 0)
            port->ops->service(port);
        if (show && cycle % 100 == 99)
            status_line(u, port);
        next_ns += ECU_CYCLE_NS;
        if (next_ns <= now_ns) /* held up: cycles are left out, the pattern stays */
            next_ns += (now_ns - next_ns) / ECU_CYCLE_NS * ECU_CYCLE_NS + ECU_CYCLE_NS;
    }
    return 0;
}

static void print_summary(const struct ecu_unit *u, const struct can_port *port)
{
    printf("unit       %lld cycles, %llu frames received, %llu sent, %llu violations, %g faults\n",
           (long long)u->cycles, (unsigned long long)port->counts.received,
           (unsigned long long)port->counts.sent, (unsigned long long)u->violations,
           u->tx.fault_count);
}

/* The frames that the unit listens to, for transports that can filter. */
static int open_port(const struct ecu_unit *u, const char *can, struct can_port **port,
                     struct err *e)
{
    uint32_t ids[BUS_RECEIVED];
    char text[CAN_SPEC_TEXT];
    for (uint32_t i = 0; i < u->bus->received_count; i++)
        ids[i] = u->bus->received[i].id;
    const struct can_open_setup setup = {.ids = ids, .id_count = (int)u->bus->received_count};
    if (can)
        (void)snprintf(text, sizeof text, "%s", can);
    else
        can_open_default(true, text, sizeof text);
    return can_open(port, text, &setup, e);
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"can", "BUS", "(found)", "socketcan:can1 or udp:20001:20000; see docs/can.md"},
        {"params", "FILE.yaml", "(sedan)", "parameters of the unit"},
        {"bus", "FILE.yaml", "(demo bus)", "description of its bus"},
        {"for", "SECONDS", "0", "stop after this time; 0: until Ctrl-C"},
        {"priority", "N", "0", "SCHED_FIFO priority; 0: an ordinary process"},
        {"quiet", NULL, NULL, "no status line, no summary"},
        {0},
    };
    static const struct options_program program = {
        .name = "ecu",
        .summary = "stand in for an ABS unit on a CAN bus",
        .arguments = "",
        .args_max = 0,
        .specs = specs,
        .example = "skidpad ecu --can udp:20001:20000 --for 10",
        .notes = "The other end is skidpad run with the same bus. Status: 0 done, 2 bad input.",
    };
    struct options o;
    char params[1024], bus[1024];
    double for_s = 0.0;
    int64_t priority = 0;
    struct err e = {""};
    struct ecu_unit *u = NULL;
    struct can_port *port = NULL;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    options_double(&o, "for", &for_s, 0.0, 1e9);
    options_int(&o, "priority", &priority, 0, 98);
    config_path(options_text(&o, "params"), "ecu/sedan.yaml", params, sizeof params);
    config_path(options_text(&o, "bus"), "can/skidpad_chassis.yaml", bus, sizeof bus);
    if (!options_ok(&o) || ecu_unit_open_file(params, bus, stderr, &u))
        return 2;
    if (open_port(u, options_text(&o, "can"), &port, &e)) {
        fprintf(stderr, "skidpad ecu: %s\n", e.text);
        ecu_unit_close(u);
        return 2;
    }
    (void)signal(SIGINT, end);
    (void)signal(SIGTERM, end);
    take_priority(priority);
    bool quiet = options_given(&o, "quiet"), show = !quiet && isatty(STDERR_FILENO) != 0;
    status = run(u, port, for_s, show);
    if (show)
        fprintf(stderr, "\r%*s\r", 120, "");
    if (!quiet)
        print_summary(u, port);
    port->ops->close(port);
    ecu_unit_close(u);
    return status;
}
