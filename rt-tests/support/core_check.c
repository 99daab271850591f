#include "rt-tests/support/core_check.h"

#include "rt-tests/rt-shim/shim_mode.h"
#include "shared/base/time.h"
#include "target/rt/rt_switch.h"
#include "target/rt/rt_thread.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* cmocka's functions have no argument for it. */
static const struct rt_ops *core;

static int no_environment(void **state)
{
    (void)state;
    (void)unsetenv("SHIM_CORE");
    (void)unsetenv("SHIM_STARTUP");
    return 0;
}

/* ---- the core is found, or why not */

static void expect_refusal(const char *word, int code, const char *const *texts)
{
    struct rt rt = {.ops = core};
    struct err e = {""};
    assert_int_equal(setenv("SHIM_CORE", word, 1), 0);
    assert_int_equal(core->open(&rt, &e), code);
    for (; *texts; texts++)
        if (!strstr(e.text, *texts))
            fail_msg("\"%s\" does not say \"%s\"", e.text, *texts);
    assert_string_equal(rt.about, "");
}

static void missing_core_is_explained(void **state)
{
    (void)state;
    if (strcmp(core->name, "cobalt") == 0)
        expect_refusal("absent", -ENOTSUP,
                       (const char *const[]){"Cobalt core not enabled in kernel", "boot a kernel",
                                             "--rt posix", NULL});
    else
        expect_refusal(
            "absent", -ENOENT,
            (const char *const[]){"no EVL core", "/dev/evl/control", "--rt posix", NULL});
}

static void wrong_abi_is_explained(void **state)
{
    (void)state;
    if (strcmp(core->name, "cobalt") == 0)
        expect_refusal("abi", -ENOTSUP,
                       (const char *const[]){"libcobalt 3.3.0-shim", "required r19, provided r17",
                                             "of the kernel's release", NULL});
    else
        expect_refusal("abi", -ENOEXEC,
                       (const char *const[]){"libevl 0.49-shim needs ABI 36",
                                             "libevl that belongs to the kernel", NULL});
}

static void other_troubles_are_explained(void **state)
{
    (void)state;
    if (strcmp(core->name, "cobalt") == 0) {
        expect_refusal("crash", -ENOTSUP, (const char *const[]){"it gave no reason", NULL});
        /* Last: it lets itself be bound, which cannot be undone. */
        expect_refusal("stopped", -ENOTSUP,
                       (const char *const[]){"is stopped", "corectl --start", NULL});
    } else {
        expect_refusal("rights", -EPERM, (const char *const[]){"run as root", NULL});
    }
}

static void found_core_is_named(void **state)
{
    struct rt rt = {.ops = core};
    struct err e = {""};
    (void)state;
    assert_int_equal(core->open(&rt, &e), 0);
    assert_non_null(strstr(rt.about, "ABI"));
    assert_non_null(strstr(rt.about, strcmp(core->name, "cobalt") == 0 ? "core 3.3.1" : "0.49"));
    /* Again, as each period of the benchmark does. */
    assert_int_equal(core->open(&rt, &e), 0);
}

/* ---- the thread */

enum { MOST_NOTES = 4 * RT_NOTES };

struct job {
    struct rt rt;
    struct err error;
    int status;
    void (*part)(struct job *);
    uint64_t switches;
    int notes;
    struct rt_note note[MOST_NOTES];
    int64_t first_ns, last_ns;
};

static void work(void *argument)
{
    struct job *j = argument;
    j->status = core->start(&j->rt, &j->error);
    if (j->status)
        return;
    if (j->part)
        j->part(j);
    j->switches = core->switches(&j->rt);
    while (j->notes < MOST_NOTES && rt_switch_take(&j->rt, &j->note[j->notes]))
        j->notes++;
    core->stop(&j->rt);
}

static void in_thread(struct job *j, void (*part)(struct job *))
{
    const struct rt_settings settings = {.cpu = -1, .priority = 80, .allow_nonrt = true};
    struct rt_thread thread;
    memset(j, 0, sizeof *j);
    j->rt.ops = core;
    j->part = part;
    assert_int_equal(core->open(&j->rt, &j->error), 0);
    assert_int_equal(rt_thread_start(&thread, &settings, work, j, &j->error), 0);
    rt_thread_join(&thread);
}

static void thread_without_fifo_is_refused(void **state)
{
    struct job j;
    (void)state;
    (void)setenv("SHIM_CORE", "not-fifo", 1);
    in_thread(&j, NULL);
    assert_int_equal(j.status, -EPERM);
    assert_non_null(strstr(j.error.text, "SCHED_FIFO"));
}

static void core_that_does_not_count_is_refused(void **state)
{
    struct job j;
    (void)state;
    (void)setenv("SHIM_CORE", "no-stats", 1);
    in_thread(&j, NULL);
    assert_int_equal(j.status, -ENOTSUP);
    assert_non_null(strstr(j.error.text, "STATS"));
}

static void wait_often(struct job *j)
{
    j->first_ns = core->now_ns(&j->rt);
    for (int i = 1; i <= 100; i++) {
        atomic_store(&j->rt.tick, i);
        assert_int_equal(core->wait(&j->rt, j->first_ns + i * 100 * NS_PER_US), 0);
    }
    j->last_ns = core->now_ns(&j->rt);
    assert_int_equal(core->wait(&j->rt, j->first_ns), 0); /* passed: at once */
    assert_true(core->cpu_ns(&j->rt) > 0);
}

static void waiting_never_leaves_real_time(void **state)
{
    struct job j;
    (void)state;
    in_thread(&j, wait_often);
    assert_int_equal(j.status, 0);
    assert_int_equal(j.switches, 0);
    assert_int_equal(j.notes, 0);
    assert_true(j.last_ns - j.first_ns >= 100 * 100 * NS_PER_US);
}

static void switches_of_the_start_are_below_the_baseline(void **state)
{
    struct job j;
    (void)state;
    (void)setenv("SHIM_STARTUP", "3", 1);
    in_thread(&j, wait_often);
    assert_int_equal(j.status, 0);
    assert_int_equal(j.rt.switches_start, 3);
    assert_int_equal(j.switches, 0);
    assert_int_equal(j.notes, 0);
}

/* In tick 42 on purpose; in tick 43 by the C library; not at all where nothing is called. */
static void call_linux(struct job *j)
{
    atomic_store(&j->rt.tick, 41);
    assert_int_equal(core->wait(&j->rt, 0), 0);
    atomic_store(&j->rt.tick, 42);
    rt_switch_provoke();
    rt_switch_provoke(); /* already out: the same switch */
    assert_int_equal(core->wait(&j->rt, 0), 0);
    atomic_store(&j->rt.tick, 43);
    (void)sysconf(_SC_NPROCESSORS_ONLN); /* reads a file */
    assert_int_equal(core->wait(&j->rt, 0), 0);
    atomic_store(&j->rt.tick, 44);
}

static void call_of_linux_is_counted_and_located(void **state)
{
    struct job j;
    (void)state;
    (void)setenv("SHIM_STARTUP", "2", 1);
    in_thread(&j, call_linux);
    assert_int_equal(j.status, 0);
    assert_int_equal(j.switches, 2);
    assert_int_equal(j.notes, 2);
    assert_int_equal(j.note[0].tick, 42);
    assert_int_equal(j.note[1].tick, 43);
    assert_int_equal(j.note[0].reason, SHIM_SYSCALL);
    assert_string_equal(core->reason_name(j.note[0].reason), "system call of Linux");
}

static void leave_too_often(struct job *j)
{
    for (int i = 0; i < 3 * RT_NOTES; i++) {
        shim_switch(i % 2 ? SHIM_FAULT : SHIM_SIGNAL);
        assert_int_equal(core->wait(&j->rt, 0), 0);
    }
}

static void more_switches_than_notes_are_all_counted(void **state)
{
    struct job j;
    (void)state;
    in_thread(&j, leave_too_often);
    assert_int_equal(j.switches, 3 * RT_NOTES);
    assert_int_equal(j.notes, RT_NOTES);
    assert_string_equal(core->reason_name(j.note[0].reason), "signal of Linux");
    assert_string_equal(core->reason_name(j.note[1].reason), "processor fault");
}

static void every_reason_has_a_name(void **state)
{
    (void)state;
    for (int reason = -1; reason < 20; reason++)
        assert_true(strlen(core->reason_name(reason)) > 5);
}

int core_check(const char *name, const struct rt_ops *ops)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(missing_core_is_explained, no_environment),
        cmocka_unit_test_setup(wrong_abi_is_explained, no_environment),
        cmocka_unit_test_setup(other_troubles_are_explained, no_environment),
        cmocka_unit_test_setup(found_core_is_named, no_environment),
        cmocka_unit_test_setup(thread_without_fifo_is_refused, no_environment),
        cmocka_unit_test_setup(core_that_does_not_count_is_refused, no_environment),
        cmocka_unit_test_setup(waiting_never_leaves_real_time, no_environment),
        cmocka_unit_test_setup(switches_of_the_start_are_below_the_baseline, no_environment),
        cmocka_unit_test_setup(call_of_linux_is_counted_and_located, no_environment),
        cmocka_unit_test_setup(more_switches_than_notes_are_all_counted, no_environment),
        cmocka_unit_test_setup(every_reason_has_a_name, no_environment),
    };
    core = ops;
    return _cmocka_run_group_tests(name, tests, sizeof tests / sizeof tests[0], NULL, NULL);
}
