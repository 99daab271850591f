#include "rt-tests/support/hand_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 14000 };
static struct signals row[ROWS];

struct expr_trace hand_made(double duration_s, double step_s,
                            void (*make)(struct signals *s, const void *how), const void *how)
{
    size_t rows = (size_t)(duration_s / step_s + 0.5);
    assert_true(rows <= ROWS);
    for (size_t i = 0; i < rows; i++) {
        memset(&row[i], 0, sizeof row[i]);
        row[i].time_s = step_s * (double)(i + 1);
        make(&row[i], how);
    }
    return (struct expr_trace){.row = row, .rows = rows};
}

const char *hand_made_failures(const char *path, const struct parameters *given,
                               const struct expr_trace *trace)
{
    static char text[400];
    const struct scenario_given how = {.parameters = given};
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    struct verdict_result r;
    if (scenario_load_given(path, &how, &sc, &doc))
        fail_msg("%s: %s", path, cfg_message(doc, 0));
    verdict_judge(sc->verdict, trace, &r);
    text[0] = '\0';
    for (int i = 0; i < sc->verdict->criteria; i++)
        if (!verdict_good(r.outcome[i]))
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                           text[0] ? ", " : "", sc->verdict->criterion[i].name);
    scenario_free(sc);
    cfg_close(doc);
    return text;
}
