#include "shared/base/io.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void parts_are_put_together(void **state)
{
    (void)state;
    int ends[2];
    char text[16] = "";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(io_write(ends[1], "abc", 3), 0);
    assert_int_equal(io_write(ends[1], "defg", 4), 0);
    assert_int_equal(io_read(ends[0], text, 5), 5);
    assert_memory_equal(text, "abcde", 5);
    (void)close(ends[1]);
    assert_int_equal(io_read(ends[0], text, sizeof text), 2); /* the end of the file */
    assert_int_equal(io_read(ends[0], text, sizeof text), 0);
    (void)close(ends[0]);
}

static void errors_are_returned(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(io_write(ends[1], "a", 1), -EPIPE);
    (void)close(ends[1]);
    assert_int_equal(io_read(-1, &byte, 1), -EBADF);
    assert_int_equal(io_write(-1, &byte, 1), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_put_together),
                                       cmocka_unit_test(errors_are_returned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
