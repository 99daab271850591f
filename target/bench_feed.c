#include "target/bench_feed.h"

#include "shared/base/time.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { INPUTS = 1 << 12, OUTPUTS = 1 << 11 };

void bench_input_make(const struct script *script, double step_s, int64_t number,
                      struct bench_input *in)
{
    struct plant_in all;
    /* The times of offline_command(), to the last bit. */
    script_at(script, (double)number * step_s, (double)(number + 1) * step_s, &all);
    in->number = number;
    in->hand_wheel_rad = all.hand_wheel_rad;
    memcpy(in->wheel_torque_Nm, all.wheel_torque_Nm, sizeof in->wheel_torque_Nm);
}

void bench_input_apply(const struct bench_input *in, struct plant_in *to)
{
    to->hand_wheel_rad = in->hand_wheel_rad;
    memcpy(to->wheel_torque_Nm, in->wheel_torque_Nm, sizeof to->wheel_torque_Nm);
}

/* ---- the real-time thread */

static void receive(struct loop *l, void *peer)
{
    struct bench_feed *f = peer;
    /* Twice at most: what lies side by side, then the rest behind the end of the memory. */
    for (int part = 0; part < 2; part++) {
        const void *span;
        size_t count = ring_peek(&f->shared->inputs, &span), taken = 0;
        const struct bench_input *in = span;
        while (taken < count && in[taken].number <= l->tick)
            taken++;
        if (taken > 0) {
            f->held = in[taken - 1];
            ring_release(&f->shared->inputs, taken);
        }
        if (taken == 0 || taken < count)
            return;
    }
}

static void command(struct loop *l, void *peer, struct plant_in *in)
{
    struct bench_feed *f = peer;
    (void)l;
    bench_input_apply(&f->held, in);
    f->used[f->steps++] = (int32_t)f->held.number;
}

static void send(struct loop *l, void *peer, int64_t now_ns)
{
    struct bench_feed *f = peer;
    struct bench_output *o = ring_reserve(&f->shared->outputs);
    if (!o)
        return; /* counted by the ring */
    o->tick = l->tick;
    o->input = f->held.number;
    o->made_ns = f->held.made_ns;
    o->sent_ns = now_ns;
    o->state = l->car->out;
    ring_commit(&f->shared->outputs);
}

const struct loop_link bench_link = {.receive = receive, .command = command, .send = send};

/* ---- set-up */

static size_t whole_lines(size_t bytes)
{
    return (bytes + RING_LINE_BYTES - 1) / RING_LINE_BYTES * RING_LINE_BYTES;
}

/* The struct, then the slots of both rings. */
static int map_shared(struct bench_feed *f, struct err *e)
{
    size_t head = whole_lines(sizeof(struct bench_shared));
    size_t in = whole_lines(ring_memory_bytes(sizeof(struct bench_input), INPUTS));
    size_t out = ring_memory_bytes(sizeof(struct bench_output), OUTPUTS);
    f->shared_bytes = head + in + out;
    const int flags = MAP_SHARED | MAP_ANONYMOUS;
    /* cppcheck-suppress invalidFunctionArg; -1 is what an anonymous mapping wants */
    unsigned char *memory = mmap(NULL, f->shared_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return err_set(e, -errno, "no shared memory: %s", strerror(errno));
    f->shared = (struct bench_shared *)(void *)memory;
    int bad = ring_init(&f->shared->inputs, sizeof(struct bench_input), INPUTS, memory + head);
    if (!bad)
        bad = ring_init(&f->shared->outputs, sizeof(struct bench_output), OUTPUTS,
                        memory + head + in);
    deadline_init(&f->shared->report.times);
    return bad ? err_set(e, bad, "the rings in shared memory could not be made") : 0;
}

/* Nothing outlives the bench, however it ends. */
static void follow_parent(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

static int wait_ready(struct bench_feed *f, struct err *e)
{
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    for (int n = 0; n < 5000; n++) {
        if (atomic_load(&f->shared->ready))
            return 0;
        if (!bench_feed_alive(f))
            break;
        (void)nanosleep(&pause, NULL);
    }
    return err_set(e, -ECHILD, "the process that feeds the inputs did not start");
}

int bench_feed_open(struct bench_feed *f, const struct script *script, int64_t period_ns,
                    int64_t steps, bool lockstep, const struct rt_settings *rt, struct err *e)
{
    memset(f, 0, sizeof *f);
    f->used = calloc((size_t)steps, sizeof *f->used);
    if (!f->used)
        return err_set(e, -ENOMEM, "out of memory for the numbers of the inputs");
    int bad = map_shared(f, e);
    if (bad)
        return bad;
    f->shared->period_ns = period_ns;
    f->shared->steps = steps;
    f->shared->lockstep = lockstep;
    bench_input_make(script, 1e-9 * (double)period_ns, -1, &f->held);
    pid_t parent = getpid();
    f->pid = fork();
    if (f->pid < 0) {
        f->pid = 0;
        return err_set(e, -errno, "no process for the inputs: %s", strerror(errno));
    }
    if (f->pid == 0) {
        follow_parent(parent);
        bench_feeder_run(f->shared, script, rt);
        _exit(0);
    }
    return wait_ready(f, e);
}

bool bench_feed_alive(struct bench_feed *f)
{
    if (f->pid != 0 && waitpid(f->pid, NULL, WNOHANG) != 0)
        f->pid = 0;
    return f->pid != 0;
}

int bench_feed_finish(struct bench_feed *f, struct err *e)
{
    int status = 0;
    if (f->pid == 0)
        return err_set(e, -ECHILD, "the process that feeds the inputs died");
    atomic_store(&f->shared->ended, true);
    pid_t ended = waitpid(f->pid, &status, 0);
    f->pid = 0;
    if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return err_set(e, -ECHILD, "the process that feeds the inputs died");
    return 0;
}

void bench_feed_close(struct bench_feed *f)
{
    if (f->pid != 0) {
        (void)kill(f->pid, SIGKILL);
        (void)waitpid(f->pid, NULL, 0);
    }
    if (f->shared)
        (void)munmap(f->shared, f->shared_bytes);
    free(f->used);
    memset(f, 0, sizeof *f);
}
