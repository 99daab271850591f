/* skidpad replay: runs a log again and says whether every bit is the same. */
#include "shared/base/options.h"
#include "target/log_end.h"
#include "target/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { STATUS_SAME = 0, STATUS_DIFFERS = 1, STATUS_BAD_INPUT = 2 };

static void print_result(const struct replay_result *r, const char *path)
{
    if (r->differs)
        printf("%s: tick %" PRId64 ": %s is %s in the log and %s now\n", path, r->tick, r->signal,
               r->logged, r->now);
    else
        printf("%s: %" PRIu64 " ticks, %" PRIu64 " steps: every signal has the same bits\n", path,
               r->ticks, r->steps);
    if (r->cut)
        printf("records were lost after that: the rest cannot be replayed\n");
    if (!r->differs)
        printf("state      %016" PRIx64 "\n", r->hash);
}

static int replay(const struct options *o, const char *path)
{
    static struct offline car; /* large: not for the stack */
    struct mdf_reader *log = NULL;
    struct replay_result result;
    struct err e = {""};
    char end[LOG_END_TEXT] = "";
    int bad = mdf_read_open(path, &log, &e);
    if (!bad)
        bad = replay_open(log, options_text(o, "scenario"), options_text(o, "vehicle"), &car, &e);
    if (!bad)
        bad = replay_run(log, &car, NULL, &result, &e);
    if (!bad && result.ticks == 0 && !result.cut)
        bad = err_set(&e, -ENODATA, "%s: holds no tick: nothing to replay", path);
    if (bad)
        fprintf(stderr, "skidpad replay: %s\n", e.text);
    else
        print_result(&result, path);
    if (!bad)
        log_end_text(log, end);
    if (end[0] != '\0')
        printf("%s; the run crashed or still runs\n", end);
    mdf_read_close(log);
    offline_close(&car);
    return bad ? STATUS_BAD_INPUT : result.differs ? STATUS_DIFFERS : STATUS_SAME;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"scenario", "FILE", NULL, "in place of the one that the log names"},
        {"vehicle", "FILE", NULL, "in place of the one that the log names"},
        {0},
    };
    static const struct options_program program = {
        .name = "replay",
        .summary = "run a log again and compare every bit",
        .arguments = "LOG.mf4",
        .args_min = 1,
        .args_max = 1,
        .specs = specs,
        .example = "skidpad replay out/scripted.mf4",
        .notes =
            "Status: 0 the same bits, 1 not (the first tick and signal are named), 2 bad input.",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    return status != OPTIONS_GO ? status : replay(&o, o.args[0]);
}
