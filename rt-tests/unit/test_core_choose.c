#include "target/core_choose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder that looks like the root of such a kernel. */
static void make(const char *root, const char *const *folders, const char *file)
{
    char path[512];
    for (; *folders; folders++) {
        (void)snprintf(path, sizeof path, "%s%s", root, *folders);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    (void)snprintf(path, sizeof path, "%s%s", root, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
}

static void clear(const char *root, const char *const *paths)
{
    char path[512];
    for (; *paths; paths++) {
        (void)snprintf(path, sizeof path, "%s%s", root, *paths);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(root), 0);
}

static void kernel_tells_which_core_it_offers(void **state)
{
    char root[] = "/tmp/skidpad-core-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(root));
    assert_int_equal(core_offered(root), BENCH_POSIX);
    make(root, (const char *const[]){"/dev", "/dev/evl", NULL}, "/dev/evl/control");
    assert_int_equal(core_offered(root), BENCH_EVL);
    make(root, (const char *const[]){"/proc", "/proc/xenomai", NULL}, "/proc/xenomai/version");
    assert_int_equal(core_offered(root), BENCH_COBALT);
    clear(root, (const char *const[]){"/dev/evl/control", "/dev/evl", "/dev",
                                      "/proc/xenomai/version", "/proc/xenomai", "/proc", NULL});
}

static void cores_of_this_program_are_found(void **state)
{
    static const int cores[] = {BENCH_POSIX, BENCH_VIRTUAL};
    static const struct rt_ops *const tables[] = {&rt_posix, &rt_virtual};
    char name[] = "test", *argv[] = {name, NULL};
    struct err e = {""};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct rt_ops *ops = NULL;
        assert_int_equal(core_choose(cores[i], "run", argv, &ops, &e), 0);
        assert_ptr_equal(ops, tables[i]);
        assert_string_equal(ops->name, core_names[cores[i]]);
    }
}

static void missing_program_is_an_error(void **state)
{
    char name[] = "test", *argv[] = {name, NULL};
    const struct rt_ops *ops = NULL;
    struct err e = {""};
    (void)state;
    /* Beside this test there is no such program. */
    assert_true(core_choose(BENCH_COBALT, "run", argv, &ops, &e) < 0);
    assert_null(ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_tells_which_core_it_offers),
        cmocka_unit_test(cores_of_this_program_are_found),
        cmocka_unit_test(missing_program_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
