/* Output files: nothing of another process is written over, nothing half done is left. */
#include "shared/base/out_file.h"

#include "shared/base/file.h"
#include "shared/base/used_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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
    assert_true(fputs("new", out_file_stream(&f)) >= 0);
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
        assert_non_null(strstr(e.text, "removed, renamed or replaced"));
    }
    (void)unlink(path);
}

static off_t size_now(void)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* Whatever is left of it, and whether something more is written or not: what came after the cut is
 * not put where it does not belong. */
static void a_file_that_somebody_truncates_is_noticed(void **state)
{
    (void)state;
    struct err e = {""};
    for (int left = 0; left < 6; left++)
        for (int more = 0; more < 2; more++) {
            struct out_file f;
            size_t done = 0;
            assert_int_equal(out_file_open(&f, path, &e), 0);
            assert_int_equal(out_file_write(&f, "before", 6, &done), 0);
            assert_int_equal(out_file_keep(&f, &e), 0);
            assert_int_equal(out_file_harm(&f), 0);
            assert_int_equal(truncate(path, left), 0);
            assert_int_equal(out_file_harm(&f), -ENODATA);
            if (more) {
                assert_int_equal(out_file_write(&f, "after", 5, &done), -ENODATA);
                assert_int_equal(done, 0);
            }
            assert_int_equal(out_file_close(&f, &e), -ENODATA);
            assert_non_null(strstr(e.text, "truncated while it was being written"));
            assert_int_equal(size_now(), left);
        }
    (void)unlink(path);
}

/* By a few bytes or many, and whether something more is written or not. */
static void a_file_that_somebody_writes_into_is_noticed(void **state)
{
    (void)state;
    struct err e = {""};
    for (int size = 7; size < 1000000; size *= 10)
        for (int more = 0; more < 2; more++) {
            struct out_file f;
            size_t done = 0;
            assert_int_equal(out_file_open(&f, path, &e), 0);
            assert_int_equal(out_file_write(&f, "before", 6, &done), 0);
            assert_int_equal(out_file_keep(&f, &e), 0);
            assert_int_equal(truncate(path, size), 0);
            if (more) {
                assert_int_equal(out_file_write(&f, "after", 5, &done), -ENOTUNIQ);
                assert_int_equal(done, 0);
            }
            assert_int_equal(out_file_close(&f, &e), -ENOTUNIQ);
            assert_non_null(strstr(e.text, "somebody else wrote into it"));
        }
    (void)unlink(path);
}

/* It still exists, under another name: whoever looks for it by its own does not find it. */
static void a_file_that_somebody_renames_is_noticed(void **state)
{
    (void)state;
    struct err e = {""};
    char other[80];
    (void)snprintf(other, sizeof other, "%s.other", path);
    for (int replaced = 0; replaced < 2; replaced++) {
        struct out_file f;
        assert_int_equal(out_file_open_stream(&f, path, &e), 0);
        assert_true(fputs("new", f.stream) >= 0);
        assert_int_equal(out_file_keep(&f, &e), 0);
        assert_int_equal(rename(path, other), 0);
        if (replaced)
            put("theirs");
        assert_int_equal(out_file_close(&f, &e), -ENOENT);
        assert_non_null(strstr(e.text, "removed, renamed or replaced"));
        assert_int_equal(unlink(other), 0);
    }
    expect("theirs");
    (void)unlink(path);
}

static void who_renames_it_himself_is_not_told(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    char other[80];
    (void)snprintf(other, sizeof other, "%s.other", path);
    assert_int_equal(out_file_open_stream(&f, other, &e), 0);
    assert_true(fputs("new", f.stream) >= 0);
    assert_int_equal(out_file_keep(&f, &e), 0);
    assert_int_equal(out_file_rename(&f, path, &e), 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    expect("new");
    assert_false(exists(other));
    (void)unlink(path);
}

static void what_a_program_wrote_on_our_behalf_counts(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    assert_int_equal(out_file_open(&f, path, &e), 0);
    assert_int_equal(write(f.fd, "new", 3), 3);
    assert_int_equal(out_file_count(&f), 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    expect("new");
    (void)unlink(path);
}

/* What a killed process has left, or what somebody put there. */
static void the_other_name_of_a_part_is_not_touched(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    char other[80];
    put("precious");
    (void)snprintf(other, sizeof other, "%s.other", path);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(link(other, part), 0);
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    assert_true(fputs("new", f.stream) >= 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    expect("new");
    assert_false(exists(part));
    assert_int_equal(rename(other, path), 0);
    expect("precious");
    (void)unlink(path);
}

static void a_link_to_nothing_is_called_that(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    assert_int_equal(symlink("nothing", path), 0);
    assert_int_equal(out_file_open(&f, path, &e), -EINVAL);
    assert_non_null(strstr(e.text, "is a link to a file that does not exist"));
    assert_int_equal(unlink(path), 0);
}

static void a_stream_notices_it_too(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    put("old");
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    assert_true(fputs("before", f.stream) >= 0);
    assert_int_equal(fflush(f.stream), 0);
    assert_int_equal(truncate(part, 3), 0);
    assert_true(fputs("after", f.stream) >= 0);
    assert_int_equal(fflush(f.stream), EOF);
    assert_int_equal(errno, ENODATA);
    assert_int_equal(out_file_close(&f, &e), -ENODATA);
    assert_non_null(strstr(e.text, "truncated"));
    expect("old"); /* half a file takes nobody's place */
    assert_false(exists(part));
    (void)unlink(path);
}

/* Between the look at its size and the write. */
static void no_moment_hides_a_truncation(void **state)
{
    (void)state;
    struct out_file f;
    size_t done = 0;
    assert_int_equal(out_file_open(&f, path, NULL), 0);
    assert_int_equal(out_file_write(&f, "before", 6, &done), 0);
    assert_int_equal(out_file_keep(&f, NULL), 0);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(write(f.fd, "after", 5), 5); /* as out_file_write() does after its look */
    f.written += 5;
    assert_int_equal(out_file_harm(&f), -ENODATA);
    assert_int_equal(out_file_close(&f, NULL), -ENODATA);
    (void)unlink(path);
}

static void who_cuts_the_end_off_himself_is_not_told(void **state)
{
    (void)state;
    struct out_file f;
    size_t done = 0;
    assert_int_equal(out_file_open(&f, path, NULL), 0);
    assert_int_equal(out_file_write(&f, "all of it", 9, &done), 0);
    assert_int_equal(out_file_shorten(&f, 3), 0);
    assert_int_equal(out_file_end_append(&f), 0);
    assert_int_equal(pwrite(f.fd, "A", 1, 0), 1);
    assert_int_equal(out_file_close(&f, NULL), 0);
    expect("All");
    (void)unlink(path);
}

static void a_pipe_needs_a_reader(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    char got[8] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(out_file_open(&f, path, &e), -ENXIO); /* at once */
    assert_non_null(strstr(e.text, "is a pipe that nobody reads: start its reader first"));
    assert_true(exists(path));
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    assert_int_equal(fcntl(f.fd, F_GETFL) & O_NONBLOCK, 0);
    assert_true(fputs("new", f.stream) >= 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    assert_int_equal(read(reader, got, sizeof got), 3);
    assert_string_equal(got, "new");
    assert_int_equal(close(reader), 0);
    assert_int_equal(unlink(path), 0);
}

static void folders_and_sockets_are_refused(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    assert_int_equal(out_file_open(&f, folder, &e), -EINVAL);
    assert_non_null(strstr(e.text, "is a folder: give the name of a file in it"));
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    assert_int_equal(bind(s, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(out_file_open(&f, path, &e), -EINVAL);
    assert_non_null(strstr(e.text, "is a socket"));
    assert_int_equal(close(s), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(part, 0600), 0);
    assert_int_equal(out_file_open(&f, path, &e), -EINVAL); /* does not wait there either */
    assert_non_null(strstr(e.text, "is in the way of a file"));
    assert_false(exists(path));
    assert_int_equal(unlink(part), 0); /* it is not ours to remove */
}

static void files_in_memory_are_files(void **state)
{
    (void)state;
    char name[64];
    struct out_file f;
    struct err e = {""};
    (void)snprintf(name, sizeof name, "/dev/shm/test_out_file.%d", (int)getpid());
    assert_int_equal(out_file_open_stream(&f, name, &e), 0);
    assert_true(fputs("new", f.stream) >= 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    assert_int_equal(unlink(name), 0);
}

/* ---- from here on as in a command */

/* Disks give the number of a removed file to the next one: of the same name it is the same file. */
static void clean(const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    used_files_forget(fd, USED_AS_INPUT);
    used_files_forget(fd, USED_AS_OUTPUT);
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(name), 0);
}

static void read_as_input(void)
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(file_read_whole(path, 100, &text, &length), 0);
    free(text);
}

static void an_input_is_no_output(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    used_files_begin();
    put("input");
    read_as_input();
    assert_int_equal(out_file_open(&f, path, &e), -EINVAL);
    assert_non_null(strstr(e.text, "is an input of this command"));
    expect("input");
    assert_false(exists(part));
    clean(path);
}

static void nor_one_that_is_read_later(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    put("input");
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    assert_true(fputs("new", f.stream) >= 0);
    read_as_input();
    assert_int_equal(out_file_close(&f, &e), -EINVAL);
    assert_non_null(strstr(e.text, "is an input of this command"));
    expect("input");
    assert_false(exists(part));
    clean(path);
}

static void each_output_is_a_file_of_its_own(void **state)
{
    (void)state;
    struct out_file f, second;
    struct err e = {""};
    for (int old = 0; old < 2; old++) {
        if (old)
            put("old");
        assert_int_equal(out_file_open_stream(&f, path, &e), 0);
        assert_int_equal(out_file_open(&second, path, &e), -EINVAL); /* while it is written */
        assert_non_null(strstr(e.text, "is an output of this command already"));
        assert_true(fputs("new", f.stream) >= 0);
        assert_int_equal(out_file_close(&f, &e), 0);
        assert_int_equal(out_file_open(&second, path, &e), -EINVAL); /* and after */
        assert_non_null(strstr(e.text, "is an output of this command already"));
        expect("new");
        clean(path);
    }
}

/* A run reads its own log while it writes it; what was given up may be tried again. */
static void own_readers_and_second_tries_work(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    put("old");
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    out_file_drop(&f);
    assert_int_equal(out_file_open_stream(&f, path, &e), 0);
    assert_true(fputs("new", f.stream) >= 0);
    assert_int_equal(out_file_keep(&f, &e), 0);
    read_as_input();
    assert_int_equal(out_file_close(&f, &e), 0);
    expect("new");
    clean(path);
}

static void a_file_that_is_gone_is_forgotten(void **state)
{
    (void)state;
    struct out_file f;
    struct err e = {""};
    char other[80];
    (void)snprintf(other, sizeof other, "%s.other", path);
    put("input");
    read_as_input();
    assert_int_equal(rename(path, other), 0); /* the same number, by another name */
    assert_int_equal(out_file_open_stream(&f, other, &e), 0);
    assert_int_equal(out_file_close(&f, &e), 0);
    clean(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_somebody_removes_or_replaces_is_not_written),
        cmocka_unit_test(a_file_that_somebody_truncates_is_noticed),
        cmocka_unit_test(a_file_that_somebody_writes_into_is_noticed),
        cmocka_unit_test(a_file_that_somebody_renames_is_noticed),
        cmocka_unit_test(who_renames_it_himself_is_not_told),
        cmocka_unit_test(what_a_program_wrote_on_our_behalf_counts),
        cmocka_unit_test(the_other_name_of_a_part_is_not_touched),
        cmocka_unit_test(a_link_to_nothing_is_called_that),
        cmocka_unit_test(a_stream_notices_it_too),
        cmocka_unit_test(no_moment_hides_a_truncation),
        cmocka_unit_test(who_cuts_the_end_off_himself_is_not_told),
        cmocka_unit_test(a_pipe_needs_a_reader),
        cmocka_unit_test(folders_and_sockets_are_refused),
        cmocka_unit_test(files_in_memory_are_files),
        cmocka_unit_test(the_old_file_stays_until_the_new_one_is_kept),
        cmocka_unit_test(a_dropped_file_leaves_nothing),
        cmocka_unit_test(only_one_process_writes_a_file),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(rights_and_links_stay),
        cmocka_unit_test(an_input_is_no_output),
        cmocka_unit_test(nor_one_that_is_read_later),
        cmocka_unit_test(each_output_is_a_file_of_its_own),
        cmocka_unit_test(own_readers_and_second_tries_work),
        cmocka_unit_test(a_file_that_is_gone_is_forgotten),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
