/* The console: no caller is held up by whoever reads stderr, and nothing harmful reaches it. */
#include "shared/base/console.h"

#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

enum { NEVER_MS = 60000, SOME = 1 << 20 };
static char got[SOME];

/* stderr for the time of a test. */
struct place {
    int saved, read, write;
};

static struct place divert(int read_end, int write_end)
{
    struct place p = {.saved = dup(STDERR_FILENO), .read = read_end, .write = write_end};
    assert_int_equal(dup2(write_end, STDERR_FILENO), STDERR_FILENO);
    return p;
}

static struct place divert_to_pipe(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    return divert(ends[0], ends[1]);
}

static void give_back(struct place *p)
{
    assert_int_equal(dup2(p->saved, STDERR_FILENO), STDERR_FILENO);
    (void)close(p->saved);
    if (p->write >= 0)
        (void)close(p->write);
    if (p->read >= 0)
        (void)close(p->read);
}

/* Everything up to a text, which must come. */
static void read_until(int fd, const char *text)
{
    size_t used = 0;
    got[0] = '\0';
    while (!strstr(got, text)) {
        ssize_t n = read(fd, got + used, SOME - 1 - used);
        assert_true(n > 0);
        used += (size_t)n;
        got[used] = '\0';
    }
}

/* One line, byte by byte. */
static void read_line(int fd)
{
    size_t used = 0;
    do
        assert_int_equal(read(fd, got + used, 1), 1);
    while (got[used++] != '\n' && used < SOME - 1);
    got[used] = '\0';
}

static void start(void)
{
    struct err e = {""};
    assert_int_equal(console_start(&e), 0);
}

static void texts_come_in_order(void **unused)
{
    (void)unused;
    struct place p = divert_to_pipe();
    console_say("before %d\n", 1);
    start();
    for (int i = 0; i < 100; i++)
        console_say("text %d\n", i);
    console_stop(NEVER_MS);
    console_say("after\n");
    read_until(p.read, "after\n");
    const char *at = strstr(got, "before 1\n");
    for (int i = 0; i < 100; i++) {
        char line[32];
        assert_non_null(at);
        (void)snprintf(line, sizeof line, "\ntext %d\n", i);
        at = strstr(at, line);
    }
    assert_non_null(at);
    assert_null(strstr(got, "dropped"));
    give_back(&p);
}

/* More than pipe and queue hold: whoever says it goes on, and the reader is told later. */
static void a_pipe_that_nobody_reads_holds_nobody_up(void **unused)
{
    (void)unused;
    struct place p = divert_to_pipe();
    start();
    for (int i = 0; i < 20000; i++)
        console_say("a message of some length, number %d\n", i);
    console_stop(1); /* gives up */
    console_say("nobody is waited for now\n");
    start(); /* the same thread */
    /* What was dropped before the pipe was full is told at other places. */
    unsigned long long dropped = 0, said = 0;
    while (dropped + said < 20001) {
        read_line(p.read);
        if (got[0] == '(')
            dropped += strtoull(got + 1, NULL, 10);
        else
            said += strncmp(got, "a message", 9) == 0;
    }
    assert_int_equal(dropped + said, 20001);
    assert_true(dropped > 0);
    console_say("goes on\n");
    read_until(p.read, "goes on\n");
    console_stop(NEVER_MS);
    give_back(&p);
}

static void a_pipe_without_a_reader_ends_nobody(void **unused)
{
    (void)unused;
    struct place p = divert_to_pipe();
    (void)close(p.read);
    p.read = -1;
    start();
    console_say("to nobody\n");
    console_stop(NEVER_MS);
    give_back(&p);
}

static struct place divert_to_terminal(void)
{
    int master = -1, terminal = -1;
    struct termios raw;
    assert_int_equal(openpty(&master, &terminal, NULL, NULL, NULL), 0);
    assert_int_equal(tcgetattr(terminal, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(terminal, TCSANOW, &raw), 0);
    return divert(master, terminal);
}

static void the_status_stays_below_the_texts(void **unused)
{
    (void)unused;
    struct place p = divert_to_terminal();
    start();
    console_status("one");
    read_until(p.read, "one");
    console_say("a text\n");
    read_until(p.read, "one");
    assert_string_equal(got, "\r\033[Ka text\none");
    console_status("two");
    read_until(p.read, "two");
    assert_string_equal(got, "\r\033[Ktwo");
    console_stop(NEVER_MS);
    console_say("end\n");
    read_until(p.read, "end\n");
    assert_string_equal(got, "\r\033[Kend\n");
    give_back(&p);
}

static void a_stopped_terminal_holds_nobody_up(void **unused)
{
    (void)unused;
    struct place p = divert_to_terminal();
    start();
    assert_int_equal(tcflow(p.write, TCOOFF), 0); /* as Ctrl-S does */
    for (int i = 0; i < 20000; i++) {
        console_say("a message\n");
        console_status("a status");
    }
    console_stop(1);
    assert_int_equal(tcflow(p.write, TCOON), 0);
    start();
    read_until(p.read, "dropped here");
    console_say("goes on\n");
    read_until(p.read, "goes on\n");
    console_stop(NEVER_MS);
    give_back(&p);
}

static void a_status_is_for_terminals_only(void **unused)
{
    (void)unused;
    struct place p = divert_to_pipe();
    start();
    console_status("not here");
    console_say("end\n");
    console_stop(NEVER_MS);
    read_until(p.read, "end\n");
    assert_string_equal(got, "end\n");
    give_back(&p);
}

static void controls_become_question_marks(void **unused)
{
    (void)unused;
    char text[] = "a\033[31mb\r\n\tc\x7f \xc2\x9b"
                  "31m \x9b \xc3\xa4\xe2\x82\xac";
    console_clean(text);
    assert_string_equal(text, "a?[31mb???c? ??31m ? \xc3\xa4\xe2\x82\xac");
    struct place p = divert_to_pipe();
    start();
    console_say("name %s\n\tnext\n", "\033]0;title\007");
    console_stop(NEVER_MS);
    read_until(p.read, "next\n");
    assert_string_equal(got, "name ?]0;title?\n\tnext\n");
    give_back(&p);
}

static void a_long_text_is_cut(void **unused)
{
    (void)unused;
    static char text[3 * CONSOLE_TEXT];
    memset(text, 'x', sizeof text - 1);
    struct place p = divert_to_pipe();
    start();
    console_say("%s\n", text);
    console_stop(NEVER_MS);
    read_until(p.read, "\n");
    assert_int_equal(strlen(got), CONSOLE_TEXT - 1);
    assert_string_equal(got + CONSOLE_TEXT - 6, "x...\n");
    give_back(&p);
}

static void a_summary_waits_for_its_reader_but_not_for_ever(void **unused)
{
    (void)unused;
    static char text[SOME / 4];
    int ends[2];
    memset(text, 'x', sizeof text - 2);
    text[sizeof text - 2] = '\n';
    assert_int_equal(pipe(ends), 0);
    assert_true(console_write(ends[1], "short\n", NEVER_MS));
    read_until(ends[0], "short\n");
    assert_false(console_write(ends[1], text, 1)); /* nobody reads */
    read_until(ends[0], "x\n");                    /* it goes on all the same */
    (void)close(ends[0]);
    assert_false(console_write(ends[1], "to nobody\n", NEVER_MS));
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_in_order),
        cmocka_unit_test(a_pipe_that_nobody_reads_holds_nobody_up),
        cmocka_unit_test(a_pipe_without_a_reader_ends_nobody),
        cmocka_unit_test(the_status_stays_below_the_texts),
        cmocka_unit_test(a_stopped_terminal_holds_nobody_up),
        cmocka_unit_test(a_status_is_for_terminals_only),
        cmocka_unit_test(controls_become_question_marks),
        cmocka_unit_test(a_long_text_is_cut),
        cmocka_unit_test(a_summary_waits_for_its_reader_but_not_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
