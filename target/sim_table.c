#include "target/sim_table.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int complain(const struct sim_table *t, int error)
{
    fprintf(stderr, "skidpad sim: %s: %s\n", t->path, strerror(error));
    return -error;
}

/* A table of all signals must fit into the columns. */
enum {
#define SIGNAL(type, name, unit, source, meaning)  +1
#define SIGNAL4(type, name, unit, source, meaning) +4
#define LINKED(type, name, unit, meaning)          +1
#define LINKED4(type, name, unit, meaning)         +4
#define COURSE(...)                                +1
    ALL_SIGNALS = 0
#include "shared/wire/signals.def"
#undef SIGNAL
#undef SIGNAL4
#undef LINKED
#undef LINKED4
#undef COURSE
};
_Static_assert((int)ALL_SIGNALS <= (int)SCENARIO_SIGNALS, "a table of all signals has room");

/* Makes the last folder of the path if it is missing. */
static void make_folder(const char *path)
{
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return;
    *slash = '\0';
    (void)mkdir(folder, 0777); /* if it fails, opening the file says why */
}

int sim_table_open(struct sim_table *t, const char *path, const struct scenario *sc)
{
    memset(t, 0, sizeof *t);
    (void)snprintf(t->path, sizeof t->path, "%s", path);
    t->every_s = 1.0 / sc->output_hz;
    t->columns = sc->signals > 0 ? (size_t)sc->signals : signal_count;
    for (size_t i = 0; i < t->columns; i++)
        t->column[i] = sc->signals > 0 ? sc->signal[i] : (int)i;
    if (strcmp(path, "-") == 0) {
        t->file = stdout;
    } else {
        struct err e = {""};
        make_folder(path);
        int bad = out_file_open_stream(&t->out, path, &e);
        if (bad) {
            fprintf(stderr, "skidpad sim: %s\n", e.text);
            return bad;
        }
        t->file = t->out.stream;
    }
    for (size_t i = 0; i < t->columns; i++)
        fprintf(t->file, "%s%s", i ? "," : "", signal_table[t->column[i]].name);
    return fputc('\n', t->file) == EOF ? complain(t, errno) : 0;
}

int sim_table_row(struct sim_table *t, const struct offline *o)
{
    double time_s = (double)o->tick * o->scenario->step_s;
    /* Half a step of tolerance: rows fall on the tick nearest to their time. */
    if (time_s + 0.5 * o->scenario->step_s < (double)t->rows * t->every_s)
        return 0;
    struct signals record = {0};
    char text[64];
    offline_fill(o, &record);
    for (size_t i = 0; i < t->columns; i++) {
        (void)signal_text(&record, (size_t)t->column[i], text, sizeof text);
        if (fprintf(t->file, "%s%s", i ? "," : "", text) < 0)
            return complain(t, errno);
    }
    t->rows++;
    return fputc('\n', t->file) == EOF ? complain(t, errno) : 0;
}

int sim_table_close(struct sim_table *t)
{
    if (t->file == stdout)
        return fflush(stdout) == EOF ? complain(t, errno) : 0;
    struct err e = {""};
    int bad = out_file_finish(&t->out, 0, &e);
    if (bad)
        fprintf(stderr, "skidpad sim: %s\n", e.text);
    return bad;
}
