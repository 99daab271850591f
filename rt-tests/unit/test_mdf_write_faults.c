/* The MDF writer when things go wrong: killed, out of space, wrongly described. */
#include "shared/wire/mdf_write.h"

#include "rt-tests/support/mdf_bytes.h"
#include "rt-tests/support/mdf_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The sample log on disk, flushed but never closed, in memory. */
static struct mdf_bytes unfinished_log(uint64_t signals)
{
    char path[64];
    mdf_sample_path(path);
    const struct mdf_file file = mdf_sample_file(path);
    struct mdf_writer *w = NULL;
    assert_int_equal(mdf_open(&w, &file, NULL), 0);
    assert_int_equal(mdf_sample_write(w, 0, signals), 0);
    assert_int_equal(mdf_flush(w), 0);
    struct mdf_bytes b = mdf_bytes_load(path);
    assert_int_equal(mdf_close(w), 0);
    assert_int_equal(unlink(path), 0);
    return b;
}

/* Records of both groups that lie whole in the first bytes of the data: three signals, an event. */
static void expected_records(uint64_t data_bytes, uint64_t *signals, uint64_t *events)
{
    const uint64_t signal = 1 + sizeof(struct mdf_sample_signal);
    const uint64_t event = 1 + sizeof(struct mdf_sample_event);
    *signals = *events = 0;
    for (;;) {
        const bool is_event = *signals == 3 * (*events + 1);
        const uint64_t bytes = is_event ? event : signal;
        if (data_bytes < bytes)
            return;
        data_bytes -= bytes;
        *(is_event ? events : signals) += 1;
    }
}

static void file_cut_anywhere_keeps_every_complete_record(void **unused)
{
    (void)unused;
    struct mdf_bytes b = unfinished_log(9);
    struct mdf_walk walk;
    mdf_walk(&b, &walk);
    assert_int_equal(walk.group[1].complete, 3);
    /* All cuts within the data: every byte of every record. */
    for (; b.size >= walk.data_at; b.size--) {
        struct mdf_walk cut;
        uint64_t signals = 0, events = 0;
        mdf_walk(&b, &cut);
        expected_records(b.size - walk.data_at, &signals, &events);
        assert_int_equal(cut.group[0].complete, signals);
        assert_int_equal(cut.group[1].complete, events);
    }
    mdf_bytes_free(&b);
}

/* After a power cut a file system may show zeros where data was not stored yet. */
static void zeros_at_the_end_are_no_records(void **unused)
{
    (void)unused;
    struct mdf_bytes b = unfinished_log(9);
    struct mdf_walk walk;
    mdf_walk(&b, &walk);
    const size_t lost = 1 + sizeof(struct mdf_sample_event);
    memset(b.bytes + b.size - lost, 0, lost);
    mdf_walk(&b, &walk);
    assert_int_equal(walk.group[0].complete, 9);
    assert_int_equal(walk.group[1].complete, 2);
    mdf_bytes_free(&b);
}

/* ---- kill -9 */

static off_t size_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* The numbers in the records, found by walking: none missing, none twice, none damaged. */
static void expect_numbered_records(const struct mdf_bytes *b, const struct mdf_walk *walk)
{
    uint64_t signals = 0, events = 0;
    uint64_t at = walk->data_at;
    while (at < walk->data_end - walk->left_over) {
        if (b->bytes[at++] == 1) {
            const struct mdf_sample_signal s = mdf_sample_signal(signals++);
            assert_memory_equal(b->bytes + at, &s, sizeof s);
            at += sizeof s;
        } else {
            const struct mdf_sample_event e = mdf_sample_event((uint32_t)events++);
            assert_memory_equal(b->bytes + at, &e, sizeof e);
            at += sizeof e;
        }
    }
    assert_int_equal(signals, walk->group[0].complete);
    assert_int_equal(events, walk->group[1].complete);
}

/* Writes until killed; ends by itself if the test is gone. */
static void write_for_ever(const struct mdf_file *file)
{
    struct mdf_writer *w = NULL;
    if (mdf_open(&w, file, NULL))
        _exit(1);
    for (uint64_t i = 0; i < 3000000; i += 3)
        if (mdf_sample_write(w, i, 3))
            _exit(1);
    _exit(0);
}

/* Looks without taking the child's status, so that its number stays its own. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    return info.si_pid != 0;
}

static void killed_writer_leaves_a_readable_log(void **unused)
{
    (void)unused;
    char path[64];
    mdf_sample_path(path);
    struct mdf_file file = mdf_sample_file(path);
    for (int round = 0; round < 8; round++) {
        file.block_bytes = 100 + 1000 * (size_t)round;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_for_ever(&file);
        while (size_of(path) < 20000 * (round + 1) && !has_ended(child))
            (void)sched_yield();
        assert_int_equal(kill(child, SIGKILL), 0);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));

        struct mdf_bytes b = mdf_bytes_load(path);
        struct mdf_walk walk;
        mdf_walk(&b, &walk);
        assert_false(walk.finished);
        assert_true(walk.group[0].complete > 300);
        assert_true(walk.left_over < 1 + sizeof(struct mdf_sample_signal));
        expect_numbered_records(&b, &walk);
        mdf_bytes_free(&b);
        assert_int_equal(truncate(path, 0), 0);
    }
    assert_int_equal(unlink(path), 0);
}

/* ---- no space */

/* What is left of it is not declared finished, nor is anything put behind the cut. */
static void log_that_somebody_truncates_is_told_once_and_left_unfinished(void **unused)
{
    (void)unused;
    char path[64];
    mdf_sample_path(path);
    const struct mdf_file file = mdf_sample_file(path);
    for (int at_end = 0; at_end < 2; at_end++) {
        struct mdf_writer *w = NULL;
        assert_int_equal(mdf_open(&w, &file, NULL), 0);
        assert_int_equal(mdf_sample_write(w, 0, 30), 0);
        assert_int_equal(mdf_flush(w), 0);
        off_t whole = size_of(path);
        assert_int_equal(truncate(path, whole - 7), 0);
        if (!at_end) {
            assert_int_equal(mdf_sample_write(w, 30, 3), 0); /* buffered */
            assert_int_equal(mdf_flush(w), -ENODATA);
            assert_int_equal(mdf_lost(w), 4);
            assert_int_equal(mdf_flush(w), 0);
        }
        assert_int_equal(mdf_close(w), at_end ? -ENODATA : 0);
        assert_int_equal(size_of(path), whole - 7);
        struct mdf_bytes b = mdf_bytes_load(path);
        struct mdf_walk walk;
        assert_memory_equal(b.bytes, "UnFinMF ", 8);
        mdf_walk(&b, &walk);
        assert_int_equal(walk.group[0].complete, 30);
        assert_int_equal(walk.group[1].complete, 9); /* of 10 */
        mdf_bytes_free(&b);
    }
    assert_int_equal(unlink(path), 0);
}

static void disk_full_at_the_start_is_told(void **unused)
{
    (void)unused;
    const struct mdf_file file = mdf_sample_file("/dev/full");
    struct mdf_writer *w = NULL;
    struct err e = {0};
    assert_int_equal(mdf_open(&w, &file, &e), -ENOSPC);
    assert_null(w);
    assert_non_null(strstr(e.text, "/dev/full"));
    assert_non_null(strstr(e.text, strerror(ENOSPC)));
}

static void path_that_cannot_be_made_is_told(void **unused)
{
    (void)unused;
    const struct mdf_file file = mdf_sample_file("/no such folder/run.mf4");
    struct mdf_writer *w = NULL;
    struct err e = {0};
    assert_int_equal(mdf_open(&w, &file, &e), -ENOENT);
    assert_non_null(strstr(e.text, "/no such folder/run.mf4"));
}

/* Limits the size of files, as a full disk does: the write that meets the limit is cut short, the
 * next one fails with EFBIG. */
static rlim_t limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return before;
}

struct outcome {
    int results[4]; /* of writes and a flush */
    int error, close;
    uint64_t lost;
};

/* A log of 200 signals and 66 events, with room for only so many bytes of data. */
static struct outcome write_with_little_space(const char *path, size_t space)
{
    struct outcome o = {0};
    struct mdf_file file = mdf_sample_file(path);
    struct mdf_writer *w = NULL;
    file.block_bytes = 1000;
    assert_int_equal(mdf_open(&w, &file, NULL), 0);
    const rlim_t before = limit_file_size(mdf_file_bytes(w) + space);
    o.results[0] = mdf_sample_write(w, 0, 150);
    o.results[1] = mdf_sample_write(w, 150, 50);
    o.results[2] = mdf_flush(w);
    o.results[3] = mdf_flush(w);
    o.error = mdf_error(w);
    o.lost = mdf_lost(w);
    o.close = mdf_close(w);
    (void)limit_file_size(before);
    return o;
}

static void full_disk_is_reported_once_and_the_file_is_finished(void **unused)
{
    (void)unused;
    char path[64];
    mdf_sample_path(path);
    (void)signal(SIGXFSZ, SIG_IGN);
    /* Every place within a few records, so that the space also ends between and inside of them. */
    for (size_t space = 3000; space < 3000 + 150; space++) {
        const struct outcome o = write_with_little_space(path, space);
        assert_int_equal(o.results[0], -EFBIG);
        for (int i = 1; i < 4; i++)
            assert_int_equal(o.results[i], 0);
        assert_int_equal(o.error, -EFBIG);
        assert_int_equal(o.close, 0);

        struct mdf_bytes b = mdf_bytes_load(path);
        struct mdf_walk walk;
        uint64_t signals = 0, events = 0;
        mdf_walk(&b, &walk);
        expected_records(space, &signals, &events);
        assert_true(walk.finished);
        assert_int_equal(walk.group[0].cycle_count, signals);
        assert_int_equal(walk.group[1].cycle_count, events);
        assert_int_equal(walk.data_end, b.size); /* no half record */
        assert_int_equal(walk.left_over, 0);
        assert_int_equal(o.lost, 200 + 66 - signals - events);
        expect_numbered_records(&b, &walk);
        mdf_bytes_free(&b);
    }
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(unlink(path), 0);
}

static void error_that_closing_meets_first_is_returned_by_it(void **unused)
{
    (void)unused;
    char path[64];
    mdf_sample_path(path);
    const struct mdf_file file = mdf_sample_file(path);
    struct mdf_writer *w = NULL;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(mdf_open(&w, &file, NULL), 0);
    const rlim_t before = limit_file_size(mdf_file_bytes(w) + 100);
    const int wrote = mdf_sample_write(w, 0, 30); /* fits the buffer */
    const int closed = mdf_close(w);
    (void)limit_file_size(before);
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(wrote, 0);
    assert_int_equal(closed, -EFBIG);
    struct mdf_bytes b = mdf_bytes_load(path);
    struct mdf_walk walk;
    mdf_walk(&b, &walk);
    assert_true(walk.finished);
    assert_int_equal(walk.group[0].complete, 3);
    mdf_bytes_free(&b);
    assert_int_equal(unlink(path), 0);
}

/* ---- wrong descriptions */

static void expect_refused(const struct mdf_channel *channel, const char *why)
{
    const struct mdf_group group = {
        .name = "g", .record_bytes = 16, .channels = channel, .channel_count = 1};
    const struct mdf_file file = {.path = "/dev/null", .groups = &group, .group_count = 1};
    struct mdf_writer *w = NULL;
    struct err e = {0};
    assert_int_equal(mdf_open(&w, &file, &e), -EINVAL);
    assert_non_null(strstr(e.text, why));
}

static void channel_that_does_not_fit_is_refused_by_name(void **unused)
{
    (void)unused;
    expect_refused(&(struct mdf_channel){.name = "far", .type = MDF_F64, .offset = 9}, "'far'");
    expect_refused(&(struct mdf_channel){.name = "off", .type = MDF_U32, .offset = UINT32_MAX},
                   "'off'");
    expect_refused(&(struct mdf_channel){.name = "long", .type = MDF_TEXT, .bytes = 17}, "'long'");
    expect_refused(&(struct mdf_channel){.name = "none", .type = MDF_TEXT}, "'none'");
    expect_refused(&(struct mdf_channel){.name = "", .type = MDF_F64}, "no name");
    expect_refused(&(struct mdf_channel){.name = "odd", .type = (enum mdf_type)77}, "'odd'");
    expect_refused(&(struct mdf_channel){.name = "nan", .type = MDF_F64, .factor = NAN}, "'nan'");
    expect_refused(
        &(struct mdf_channel){.name = "when", .type = MDF_TEXT, .bytes = 4, .master = true},
        "'when'");
}

static void group_with_two_times_or_none_to_log_is_refused(void **unused)
{
    (void)unused;
    const struct mdf_channel two[] = {{.name = "a", .type = MDF_F64, .master = true},
                                      {.name = "b", .type = MDF_F64, .offset = 8, .master = true}};
    struct mdf_group group = {.name = "g", .record_bytes = 16, .channels = two, .channel_count = 2};
    struct mdf_file file = {.path = "/dev/null", .groups = &group, .group_count = 1};
    struct mdf_writer *w = NULL;
    assert_int_equal(mdf_open(&w, &file, NULL), -EINVAL);
    group.channel_count = 0;
    assert_int_equal(mdf_open(&w, &file, NULL), -EINVAL);
    file.group_count = 0;
    assert_int_equal(mdf_open(&w, &file, NULL), -EINVAL);
    file.group_count = MDF_GROUPS_MAX + 1;
    assert_int_equal(mdf_open(&w, &file, NULL), -EINVAL);
    assert_null(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_cut_anywhere_keeps_every_complete_record),
        cmocka_unit_test(zeros_at_the_end_are_no_records),
        cmocka_unit_test(killed_writer_leaves_a_readable_log),
        cmocka_unit_test(log_that_somebody_truncates_is_told_once_and_left_unfinished),
        cmocka_unit_test(disk_full_at_the_start_is_told),
        cmocka_unit_test(path_that_cannot_be_made_is_told),
        cmocka_unit_test(full_disk_is_reported_once_and_the_file_is_finished),
        cmocka_unit_test(error_that_closing_meets_first_is_returned_by_it),
        cmocka_unit_test(channel_that_does_not_fit_is_refused_by_name),
        cmocka_unit_test(group_with_two_times_or_none_to_log_is_refused),
    };
    return cmocka_run_group_tests_name("mdf_write_faults", tests, NULL, NULL);
}
