/* Output files: nothing of another process is written over, nothing half done is left. */
#include "shared/base/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test_out_file.XXXXXX";
static char path[64], part[80];

static int make_folder(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/file", folder);
    (void)snprintf(part, sizeof part, "%s.part", path);
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    (void)unlink(path);
    return rmdir(folder); /* fails if a test left something behind */
}

static void put(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void expect(const char *text)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    (void)!fread(got, 1, sizeof got - 1, f);
    (void)fclose(f);
    assert_string_equal(got, text);
}

static bool exists(const char *name)
{
    return access(name, F_OK) == 0;
}

static void the_old_file_stays_until_the_new_one_is_kept(void **unused)
{
    (void)unused;
    struct out_file f;
    struct err e = {""};
    put("old");
    assert_int_equal(out_file_open(&f, path, &e), 0);
    assert_true(fputs("new", out_file_stream(&f)) >= 0);
    expect("old");
    assert_int_equal(out_file_keep(&f, &e), 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    expect("new");
    assert_false(exists(part));
}

static void a_dropped_file_leaves_nothing(void **unused)
{
    (void)unused;
    struct out_file f;
    put("old");
    assert_int_equal(out_file_open(&f, path, NULL), 0);
    assert_true(fputs("new", out_file_stream(&f)) >= 0);
    out_file_drop(&f);
    expect("old");
    assert_false(exists(part));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(out_file_open(&f, path, NULL), 0);
    out_file_drop(&f);
    assert_false(exists(path));
    assert_false(exists(part));
    out_file_drop(&f); /* as often as one likes */
    struct out_file none = {0};
    out_file_drop(&none);
    assert_int_equal(out_file_close(&none, NULL), 0);
}

/* In another process: 0 if it got the file, else the error. */
static int open_elsewhere(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct out_file f;
        int bad = out_file_open(&f, path, NULL);
        out_file_drop(&f);
        _exit(-bad);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void only_one_process_writes_a_file(void **unused)
{
    (void)unused;
    struct out_file f, second;
    struct err e = {""};
    put("old");
    assert_int_equal(out_file_open(&f, path, &e), 0);
    assert_int_equal(open_elsewhere(), EBUSY); /* before it is kept */
    assert_int_equal(out_file_keep(&f, &e), 0);
    assert_int_equal(open_elsewhere(), EBUSY); /* and after */
    assert_int_equal(out_file_open(&second, path, &e), -EBUSY);
    assert_non_null(strstr(e.text, "is being written by another process"));
    assert_int_equal(write(f.fd, "new", 3), 3);
    assert_int_equal(out_file_close(&f, &e), 0);
    expect("new");
    assert_int_equal(open_elsewhere(), 0);
    expect("new");
}

static void what_cannot_be_written_is_told(void **unused)
{
    (void)unused;
    struct out_file f;
    struct err e = {""};
    assert_int_equal(out_file_open(&f, "/proc/none/file", &e), -ENOENT);
    assert_non_null(strstr(e.text, "/proc/none/file: cannot be written"));
    assert_int_equal(out_file_open(&f, "/dev/full", &e), 0);
    assert_true(fputs("new", out_file_stream(&f)) >= 0); /* buffered */
    assert_int_equal(out_file_close(&f, &e), -ENOSPC);
    assert_non_null(strstr(e.text, "No space left"));
}

static void rights_and_links_stay(void **unused)
{
    (void)unused;
    struct out_file f;
    struct stat st;
    char link[64];
    put("old");
    assert_int_equal(chmod(path, 0604), 0);
    (void)snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(out_file_open(&f, link, NULL), 0);
    assert_true(fputs("new", out_file_stream(&f)) >= 0);
    assert_int_equal(out_file_close(&f, NULL), 0);
    expect("new");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(unlink(link), 0);
}

static void a_file_that_somebody_removes_or_replaces_is_not_written(void **state)
{
    (void)state;
    struct err e = {""};
    for (int replaced = 0; replaced < 2; replaced++) {
        struct out_file f;
        assert_int_equal(out_file_open(&f, path, &e), 0);
        assert_true(fputs("new", out_file_stream(&f)) >= 0);
        assert_int_equal(out_file_keep(&f, &e), 0);
        assert_int_equal(unlink(path), 0);
        if (replaced) {
            FILE *other = fopen(path, "we");
            assert_non_null(other);
            assert_int_equal(fclose(other), 0);
        }
        assert_int_equal(out_file_close(&f, &e), -ENOENT);
        assert_non_null(strstr(e.text, "removed or replaced"));
    }
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_somebody_removes_or_replaces_is_not_written),
        cmocka_unit_test(the_old_file_stays_until_the_new_one_is_kept),
        cmocka_unit_test(a_dropped_file_leaves_nothing),
        cmocka_unit_test(only_one_process_writes_a_file),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(rights_and_links_stay),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
