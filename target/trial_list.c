/* What a suite holds, as a table for documents: from the files, nothing is driven. */
#include "target/trial.h"

#include <errno.h>
#include <string.h>

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool listed_before(const struct trials *t, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(t->trial[k].scenario, t->trial[i].scenario) == 0)
            return true;
    return false;
}

static void put_criteria(const struct verdict *v, FILE *to)
{
    for (int k = 0; k < v->criteria; k++)
        fprintf(to, "%s%s (%s)", k ? ", " : "", v->criterion[k].name, v->criterion[k].certainty);
}

/* The trials of one scenario whose end is this. */
static void put_trials(const struct trials *t, const char *scenario, bool failing, FILE *to)
{
    const char *between = "";
    for (int k = 0; k < t->count; k++) {
        const struct trial *one = &t->trial[k];
        if (strcmp(one->scenario, scenario) != 0 || (one->expected > 0) != failing)
            continue;
        fprintf(to, "%s%s", between, one->name);
        between = "; ";
    }
}

static int put_scenario(const struct trials *t, int i, FILE *to)
{
    const struct trial *one = &t->trial[i];
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    int bad = scenario_load(one->scenario, &sc, &doc);
    if (doc)
        cfg_print_messages(doc, stderr);
    if (!bad && sc->verdict) {
        fprintf(to, "| %s | `%s` | %s | ", sc->name, base_of(one->scenario), sc->verdict->standard);
        put_criteria(sc->verdict, to);
        fputs(" | ", to);
        put_trials(t, one->scenario, false, to);
        fputs(" | ", to);
        put_trials(t, one->scenario, true, to);
        fputs(" |\n", to);
    }
    scenario_free(sc);
    cfg_close(doc);
    return bad;
}

int trial_list(const struct trials *t, FILE *to)
{
    int bad = 0;
    fputs("| manoeuvre | scenario | after | criteria (certainty) | passes | fails as it should |\n"
          "|---|---|---|---|---|---|\n",
          to);
    for (int i = 0; i < t->count; i++)
        if (!listed_before(t, i) && put_scenario(t, i, to))
            bad = -EINVAL;
    return bad;
}
