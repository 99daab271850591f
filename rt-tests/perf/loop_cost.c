/* What a tick of the loop costs besides the car: user instructions of every single tick, between
 * two waits, without plant and sensors. The CPU itself counts: it traps after each instruction
 * while the trap flag is set, so the clock reads inside the vDSO are part of the number, and what
 * the machine does meanwhile is not.
 *
 *   loop_cost TICKS     up to 10000; a tick takes up to 30 ms
 *
 * Prints a table; status 1 if a tick takes more than the limit, 77 if this kind of CPU is not
 * known. The program is linked with --wrap for offline_plant() and offline_sense(), see Makefile.
 */
#include "target/loop.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __x86_64__

int main(void)
{
    printf("instructions per tick are counted on x86-64 only\n");
    return 77;
}

#else

#include <ucontext.h>

enum { LIMIT = 3000, TICKS = 10000, PERIOD_NS = 1000000, PUBLISH_EVERY = 10 };
enum { CLASS_LOG, CLASS_PUBLISH, CLASS_MISS, CLASSES };

/* The handler's; one thread. */
static volatile uint64_t counted;
static volatile greg_t last_at;

/* After each instruction; rep repeats one, which stays where it is. */
static void trap(int number, siginfo_t *info, void *context)
{
    const greg_t at = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)number;
    (void)info;
    counted += at != last_at;
    last_at = at;
}

/* The compiler may keep values below the stack pointer: step over them. */
static inline void count_on(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     :
                     : "memory", "cc");
}

static inline void count_off(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     :
                     : "memory", "cc");
}

/* ---- what is not counted */

/* The names that the linker gives to a wrapped function and to what takes its place. */
void plant_itself(struct offline *o) __asm__("__real_offline_plant");
void plant_uncounted(struct offline *o) __asm__("__wrap_offline_plant");
void sense_itself(struct offline *o) __asm__("__real_offline_sense");
void sense_uncounted(struct offline *o) __asm__("__wrap_offline_sense");

void plant_uncounted(struct offline *o)
{
    count_off();
    plant_itself(o);
    count_on();
}

void sense_uncounted(struct offline *o)
{
    count_off();
    sense_itself(o);
    count_on();
}

/* ---- a core that reads the real clock and lives by a simulated one */

struct bed {
    struct rt rt; /* first: the core gets its address */
    struct rt_ops ops;
    struct loop loop;
    struct offline car;
    uint64_t instructions[TICKS];
    int class[TICKS];
    size_t ticks;
    uint64_t misses;
};

static int64_t now_ns(struct rt *rt)
{
    (void)rt_posix.now_ns(rt);
    return rt->virtual_ns;
}

static void discard(struct ring *r)
{
    const void *span;
    size_t count;
    while ((count = ring_peek(r, &span)) > 0)
        ring_release(r, count);
}

/* Ends a tick and begins the next. */
static int wait(struct rt *rt, int64_t until_ns)
{
    struct bed *b = (struct bed *)(void *)rt;
    count_off();
    if (ring_fill(&b->loop.records) > 0 && b->ticks < TICKS) {
        b->class[b->ticks] = b->loop.stats.now.misses > b->misses ? CLASS_MISS
                             : ring_fill(&b->loop.telemetry) > 0  ? CLASS_PUBLISH
                                                                  : CLASS_LOG;
        b->instructions[b->ticks++] = counted;
    }
    b->misses = b->loop.stats.now.misses;
    discard(&b->loop.records);
    discard(&b->loop.events);
    discard(&b->loop.telemetry);
    if (until_ns > rt->virtual_ns)
        rt->virtual_ns = until_ns;
    counted = 0;
    count_on();
    return 0;
}

/* ---- the table */

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Ticks of a class, CLASSES for all; returns their maximum. */
static uint64_t print_class(const struct bed *b, int class, const char *name)
{
    static uint64_t sorted[TICKS];
    size_t n = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < b->ticks; i++)
        if (class == CLASSES || b->class[i] == class) {
            sum += b->instructions[i];
            sorted[n++] = b->instructions[i];
        }
    if (n == 0)
        return 0;
    qsort(sorted, n, sizeof sorted[0], by_size);
    printf("| %s | %zu | %llu | %llu | %llu | %llu |\n", name, n, (unsigned long long)(sum / n),
           (unsigned long long)sorted[n / 2], (unsigned long long)sorted[(n * 99 + 99) / 100 - 1],
           (unsigned long long)sorted[n - 1]);
    return sorted[n - 1];
}

static int open_bed(struct bed *b, int64_t ticks)
{
    struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    if (offline_open("config/scenarios/brake_in_turn.yaml", &options, &b->car))
        return -1;
    b->ops = rt_virtual;
    b->ops.wait = wait;
    b->ops.now_ns = now_ns;
    b->rt.ops = &b->ops;
    b->loop.rt = &b->rt;
    b->loop.car = &b->car;
    b->loop.setup = (struct loop_setup){
        .period_ns = PERIOD_NS,
        .deadline_ns = PERIOD_NS,
        .ticks = ticks,
        .publish_every = PUBLISH_EVERY,
        .provokes = 1,
        /* late, and the next release is skipped */
        .provoke = {{.tick = ticks / 2, .ticks = ticks / 10, .delay_ns = 5 * PERIOD_NS / 2}}};
    return loop_rings_init(&b->loop, 1.0);
}

int main(int argc, char **argv)
{
    static struct bed bed;
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    long ticks = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (ticks < 1 || ticks > TICKS) {
        fprintf(stderr, "usage: loop_cost TICKS, 1 to %d\n", TICKS);
        return 2;
    }
    if (open_bed(&bed, ticks) || sigaction(SIGTRAP, &action, NULL))
        return 2;
    loop_run(&bed.loop);
    count_off();
    printf("user instructions of a tick outside plant, sensors and wait\n\n");
    printf("| tick | ticks | mean | p50 | p99 | maximum |\n|---|---|---|---|---|---|\n");
    (void)print_class(&bed, CLASS_LOG, "logs");
    (void)print_class(&bed, CLASS_PUBLISH, "logs and publishes");
    (void)print_class(&bed, CLASS_MISS, "misses its deadline, logs");
    uint64_t most = print_class(&bed, CLASSES, "all");
    bool good = most > 0 && most <= LIMIT;
    printf("\nAt most %d in any tick: %s.\n", LIMIT, good ? "yes" : "NO");
    loop_rings_free(&bed.loop);
    offline_close(&bed.car);
    return good ? 0 : 1;
}

#endif
