/* The system call filter around the real-time thread: it kills at a call that the loop must not
 * make, and the loop as it is makes none. Each run is a process of its own, since it may be killed.
 */
#include "target/loop.h"
#include "target/rt/rt_filter.h"
#include "target/rt/rt_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000, TICKS = 100, STRAY_TICK = 50 };

/* Sanitizers make system calls of their own, in any thread. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

struct bed {
    struct loop loop;
    struct rt rt;
    struct offline car;
    void (*stray)(void);
    bool strayed;
    int filter; /* result of its installation */
};

/* ---- what a link might do wrong */

static void none(void)
{
}

static void ask(void)
{
    (void)syscall(SYS_getppid);
}

static void print(void)
{
    (void)!write(STDERR_FILENO, "", 0);
}

static void open_file(void)
{
    (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void map(void)
{
    (void)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void unmap(void)
{
    (void)syscall(SYS_munmap, NULL, 0);
}

static void wake_another(void)
{
    static int word;
    (void)syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}

static void yield(void)
{
    (void)syscall(SYS_sched_yield);
}

static void receive(struct loop *l, void *peer)
{
    struct bed *b = peer;
    /* Not the tick itself: its release may be skipped. */
    if (l->tick < STRAY_TICK || b->strayed)
        return;
    b->strayed = true;
    b->stray();
}

static void command(struct loop *l, void *peer, struct plant_in *in)
{
    (void)l;
    (void)peer;
    (void)in;
}

static void send(struct loop *l, void *peer, int64_t now_ns)
{
    (void)l;
    (void)peer;
    (void)now_ns;
}

static const struct loop_link stray_link = {.receive = receive, .command = command, .send = send};

/* ---- a run */

static void work(void *argument)
{
    struct bed *b = argument;
    struct err e;
    b->filter = rt_filter_install(false, &e);
    if (b->filter == 0)
        loop_run(&b->loop);
}

/* In the child: returns its status, 0 if every tick was made. */
static int drive(struct bed *b)
{
    struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    struct rt_thread thread;
    struct err e;
    if (offline_open("config/scenarios/brake_in_turn.yaml", &options, &b->car))
        return 10;
    b->rt.ops = &rt_posix;
    b->loop.rt = &b->rt;
    b->loop.car = &b->car;
    b->loop.link = &stray_link;
    b->loop.peer = b;
    b->loop.setup = (struct loop_setup){.period_ns = PERIOD_NS,
                                        .deadline_ns = PERIOD_NS,
                                        .overrun = LOOP_CATCH_UP,
                                        .catch_up_max = 1,
                                        .ticks = TICKS,
                                        .publish_every = 10};
    if (loop_rings_init(&b->loop, 1.0) || rt_posix.start(&b->rt, &e) ||
        rt_thread_start_plain(&thread, work, b, &e))
        return 11;
    rt_thread_join(&thread);
    if (b->filter)
        return b->filter == -ENOTSUP ? 13 : 12;
    return b->loop.tick == TICKS ? 0 : 14;
}

/* The wait status of a run whose link does this in tick 50. */
static int status_of(void (*stray)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct bed *b = calloc(1, sizeof *b);
        if (!b)
            _exit(15);
        b->stray = stray;
        _exit(drive(b));
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void the_loop_makes_no_call_but_those_allowed(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    int status = status_of(none);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 13) /* no filter for this kind of CPU */
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_stray_call_of_the_real_time_thread_is_killed(void **state)
{
    (void)state;
    static void (*const strays[])(void) = {ask, print, open_file, map, unmap, wake_another, yield};
    if (SANITIZED)
        skip();
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) {
        int status = status_of(strays[i]);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 13)
            skip();
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSYS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_makes_no_call_but_those_allowed),
        cmocka_unit_test(a_stray_call_of_the_real_time_thread_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
