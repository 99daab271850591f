/* Frames over UDP at a tick of 0.1 ms, both ways at once: are they all taken, and how long do they
 * wait? Direct, where the tick itself makes the system calls, and through the gateway's thread.
 *
 *   can_rate [SECONDS]     of each row, 3 unless given
 *
 * "wait": from the tick's send to the kernel's receive stamp at the other end. "late": ticks that
 * began after their end. Both ends run with SCHED_FIFO where that is allowed. */
#include "shared/base/time.h"
#include "target/io/can_gateway.h"
#include "target/io/can_udp.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const int64_t tick_ns = NS_PER_MS / 10;
enum { SAMPLES = 1 << 20 };

struct traffic {
    const char *name;
    int frames_per_s, bytes, flags;
};

/* One end: what it sends and what it got. */
struct end {
    struct can_port *port;
    const struct traffic *traffic;
    int64_t start_ns, ticks;
    uint32_t sent, expected;
    int64_t received, missing, late_ticks;
    int32_t *wait_ns; /* SAMPLES of them */
    int64_t samples;
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Data: number of the frame, then when it was sent in steps of 8 ns, which 32 bits hold for 34 s.
 */
static void take(struct end *e, const struct can_msg *m)
{
    uint32_t number, stamp;
    memcpy(&number, m->data, 4);
    memcpy(&stamp, m->data + 4, 4);
    e->missing += (uint32_t)(number - e->expected);
    e->expected = number + 1;
    e->received++;
    if (e->samples < SAMPLES)
        e->wait_ns[e->samples++] = (int32_t)(((uint32_t)(m->time_ns / 8) - stamp) * 8);
}

static void drain(struct end *e, int64_t at_ns)
{
    struct can_msg got[CAN_BATCH];
    int n = CAN_BATCH;
    while (n == CAN_BATCH) {
        n = e->port->ops->receive(e->port, at_ns, got, CAN_BATCH);
        for (int i = 0; i < n; i++)
            take(e, &got[i]);
    }
}

static void send_due(struct end *e, int64_t tick)
{
    struct can_msg out[CAN_BATCH];
    const int64_t due = (tick + 1) * e->traffic->frames_per_s * tick_ns / NS_PER_S;
    int n = 0;
    while (n < CAN_BATCH && (int64_t)e->sent + n < due) {
        const uint32_t number = e->sent + (uint32_t)n;
        const uint32_t stamp = (uint32_t)(now_ns(CLOCK_MONOTONIC) / 8);
        out[n] = (struct can_msg){
            .id = 0x100, .len = (uint8_t)e->traffic->bytes, .flags = (uint8_t)e->traffic->flags};
        memcpy(out[n].data, &number, 4);
        memcpy(out[n].data + 4, &stamp, 4);
        n++;
    }
    e->sent += (uint32_t)e->port->ops->send(e->port, out, n);
}

static void *run_end(void *argument)
{
    struct end *e = argument;
    for (int64_t k = 0; k < e->ticks; k++) {
        const int64_t release_ns = e->start_ns + k * tick_ns;
        const struct timespec at = {.tv_sec = release_ns / NS_PER_S,
                                    .tv_nsec = release_ns % NS_PER_S};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        if (now_ns(CLOCK_MONOTONIC) > release_ns + tick_ns)
            e->late_ticks++;
        drain(e, now_ns(CLOCK_MONOTONIC));
        send_due(e, k);
    }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static double part_us(struct end *e, double part)
{
    if (e->samples == 0)
        return 0.0;
    return 1e-3 * e->wait_ns[(int64_t)(part * (double)(e->samples - 1))];
}

static int open_ends(struct end *bench, struct end *unit, bool gateway, struct err *e)
{
    const struct can_udp_setup any = {0};
    const struct can_gateway_setup setup = {
        .period_ns = tick_ns, .priority = 80, .not_cpu = -1, .allow_nonrt = true};
    struct can_port *direct;
    int bad = can_udp_open(&direct, &any, e);
    if (bad)
        return bad;
    bad = can_udp_open(&unit->port, &any, e);
    if (bad)
        return bad;
    (void)can_udp_set_peer_port(direct, can_udp_local_port(unit->port));
    (void)can_udp_set_peer_port(unit->port, can_udp_local_port(direct));
    bench->port = direct;
    return gateway ? can_gateway_open(&bench->port, direct, &setup, e) : 0;
}

static int row(const struct traffic *traffic, bool gateway, int64_t seconds, struct end *bench,
               struct end *unit)
{
    struct err e = {""};
    pthread_t thread;
    if (open_ends(bench, unit, gateway, &e)) {
        fprintf(stderr, "can_rate: %s\n", e.text);
        return 2;
    }
    const int64_t start_ns = now_ns(CLOCK_MONOTONIC) + 10 * NS_PER_MS;
    struct end *ends[] = {bench, unit};
    for (int i = 0; i < 2; i++) {
        struct end *p = ends[i];
        /* the unit keeps its own time: half a tick beside the bench's */
        *p = (struct end){.port = p->port,
                          .traffic = traffic,
                          .start_ns = start_ns + i * tick_ns / 2,
                          .ticks = seconds * NS_PER_S / tick_ns,
                          .wait_ns = p->wait_ns};
    }
    const int64_t cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (pthread_create(&thread, NULL, run_end, unit))
        return 2;
    (void)run_end(bench);
    (void)pthread_join(thread, NULL);
    const double cpu =
        100.0 * (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) / (double)(seconds * NS_PER_S);
    const struct timespec rest = {.tv_nsec = 20 * NS_PER_MS};
    (void)nanosleep(&rest, NULL);
    drain(bench, now_ns(CLOCK_MONOTONIC));
    drain(unit, now_ns(CLOCK_MONOTONIC));
    qsort(unit->wait_ns, (size_t)unit->samples, sizeof unit->wait_ns[0], by_size);
    printf("%-22s %-8s %9u %9" PRId64 " %6" PRId64 " %6" PRIu64 " %8.1f %8.1f %8.1f %6" PRId64
           " %5.0f\n",
           traffic->name, gateway ? "gateway" : "direct", bench->sent + unit->sent,
           bench->received + unit->received, bench->missing + unit->missing,
           bench->port->counts.full + bench->port->counts.overflow + unit->port->counts.full +
               unit->port->counts.overflow,
           part_us(unit, 0.5), part_us(unit, 0.99), part_us(unit, 1.0),
           bench->late_ticks + unit->late_ticks, cpu);
    bench->port->ops->close(bench->port);
    unit->port->ops->close(unit->port);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct traffic traffics[] = {
        {"8,000 classic/s", 8000, 8, 0},
        {"20,000 FD/s, 64 bytes", 20000, 64, CAN_MSG_FD | CAN_MSG_BRS}};
    static int32_t bench_waits[SAMPLES], unit_waits[SAMPLES]; /* large: not for the stack */
    const long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    struct end bench = {.wait_ns = bench_waits}, unit = {.wait_ns = unit_waits};
    if (seconds < 1 || seconds > 30) {
        fprintf(stderr, "usage: can_rate [SECONDS]   1 to 30\n");
        return 2;
    }
    const struct sched_param priority = {.sched_priority = 85};
    if (sched_setscheduler(0, SCHED_FIFO, &priority) || mlockall(MCL_CURRENT | MCL_FUTURE))
        printf("without SCHED_FIFO or locked memory, so late ticks say nothing\n");
    printf("each way                path          sent  received   lost   full  wait us: p50      "
           "p99      max   late  CPU%%\n");
    int bad = 0;
    for (unsigned i = 0; i < 2 && !bad; i++)
        for (int gateway = 0; gateway < 2 && !bad; gateway++)
            bad = row(&traffics[i], gateway, seconds, &bench, &unit);
    return bad;
}
