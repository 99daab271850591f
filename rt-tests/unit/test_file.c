/* Files that are read: nothing waits for the other end of a pipe. */
#include "shared/base/file.h"

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
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test_file.XXXXXX";
static char path[64];

static int make_folder(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    return rmdir(folder); /* fails if a test left something behind */
}

/* Both ways to read it fail, at once and with the same error. */
static void expect_refused(const char *name, int error, const char *why)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = NULL;
    assert_int_equal(file_read_whole(name, 100, &text, &length), error);
    assert_null(text);
    assert_int_equal(file_open_stream(name, &stream), error);
    assert_null(stream);
    assert_non_null(strstr(file_why(error), why));
}

static void a_pipe_needs_a_writer(void **unused)
{
    (void)unused;
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(path, -EPIPE, "a pipe into which nobody writes: start the writer first");
    assert_int_equal(unlink(path), 0);
}

static void folders_and_sockets_are_refused(void **unused)
{
    (void)unused;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    expect_refused(folder, -EISDIR, "a folder: give the name of a file in it");
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    assert_int_equal(bind(s, (const struct sockaddr *)&at, sizeof at), 0);
    expect_refused(path, -ENXIO, "a socket");
    assert_int_equal(close(s), 0);
    assert_int_equal(unlink(path), 0);
    expect_refused(path, -ENOENT, "No such file");
}

static void what_is_written_into_a_pipe_is_read(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(mkfifo(path, 0600), 0);
    int both = open(path, O_RDWR | O_CLOEXEC); /* so that what is written stays in it */
    int writer = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(writer, "some text", 9), 9);
    FILE *stream = NULL;
    assert_int_equal(file_open_stream(path, &stream), 0);
    char line[16] = "";
    assert_int_equal(fread(line, 1, 9, stream), 9);
    assert_string_equal(line, "some text"); /* with the byte that was read beforehand */
    assert_int_equal(fcntl(fileno(stream), F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(write(writer, "more", 4), 4);
    if (fork() == 0) { /* what it holds keeps the pipe open for a while */
        (void)close(both);
        (void)usleep(100000);
        _exit(write(writer, " and more", 9) == 9 ? 0 : 1);
    }
    assert_int_equal(close(writer), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(close(both), 0);
    assert_int_equal(file_read_whole(path, 100, &text, &length), 0);
    assert_string_equal(text, "more and more");
    free(text);
    assert_int_equal(close(reader), 0);
    assert_int_equal(unlink(path), 0);
}

static void devices_are_read(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(file_read_whole("/dev/null", 100, &text, &length), 0);
    assert_int_equal(length, 0);
    free(text);
    assert_int_equal(file_read_whole("/dev/zero", 100, &text, &length), -EFBIG);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_needs_a_writer),
        cmocka_unit_test(folders_and_sockets_are_refused),
        cmocka_unit_test(what_is_written_into_a_pipe_is_read),
        cmocka_unit_test(devices_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
