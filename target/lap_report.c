/* Laps as a table for people, as CSV and JSON for machines. */
#include "shared/base/json_write.h"
#include "target/lap.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double deg = 180.0 / 3.14159265358979323846;

void lap_why(const struct lap_result *r, char *text, size_t size)
{
    static const char *const words[] = {
        [LAP_BAD_INPUT] = "bad input",     [LAP_NOT_FINITE] = "state not finite",
        [LAP_LEFT_PATH] = "left the path", [LAP_ROLLED] = "rolled over",
        [LAP_STOPPED] = "got stuck",       [LAP_TOO_LONG] = "time is over, ended",
    };
    text[0] = '\0';
    if (r->end == LAP_BAD_INPUT)
        (void)snprintf(text, size, "%s", words[r->end]);
    else if (r->end != LAP_DONE)
        (void)snprintf(text, size, "%s at %.0f m, %.1f s", words[r->end], r->end_m, r->end_s);
}

static int width_of(const struct lap_axis *a)
{
    size_t width = strlen(a->key);
    for (int i = 0; i < a->count; i++)
        width = strlen(a->text[i]) > width ? strlen(a->text[i]) : width;
    return (int)width;
}

int lap_table(const struct laps *l, FILE *to)
{
    int best = -1, done = 0;
    fprintf(to, "%s: %s, %.0f m\n", l->name, l->car, l->lap_m);
    for (int k = 0; k < l->axes; k++)
        fprintf(to, "%*s  ", width_of(&l->axis[k]), l->axis[k].key);
    fprintf(to,
            " grip    out s    lap s   plan s  slowest  fastest km/h  ay m/s2  beside m    rms\n");
    for (int i = 0; i < l->count; i++) {
        const struct lap_result *r = &l->variant[i].result;
        char why[80];
        for (int k = 0; k < l->axes; k++)
            fprintf(to, "%*s  ", width_of(&l->axis[k]), l->axis[k].text[l->variant[i].index[k]]);
        lap_why(r, why, sizeof why);
        if (r->laps > 0)
            fprintf(to, "%5.3f %8.2f %8.3f %8.2f %8.1f %8.1f %13.2f %9.2f %6.3f", r->grip, r->out_s,
                    r->best_s, r->planned_s, 3.6 * r->slowest_mps, 3.6 * r->fastest_mps,
                    r->lateral_mps2, r->offset_m, r->offset_rms_m);
        fprintf(to, "%s%s\n", r->laps > 0 && why[0] ? "  " : "", why);
        if (r->laps > 0 && (best < 0 || r->best_s < l->variant[best].result.best_s))
            best = i;
        done += r->end == LAP_DONE;
    }
    if (best >= 0) {
        char words[LAP_TEXT * 4];
        lap_words(l, best, words, sizeof words);
        fprintf(to, "%d of %d finished; best %.3f s%s%s\n", done, l->count,
                l->variant[best].result.best_s, words[0] ? ": " : "", words);
    } else {
        fprintf(to, "none of %d finished a flying lap\n", l->count);
    }
    return ferror(to) ? -EIO : 0;
}

/* One list of numbers for both formats. */
struct column {
    const char *name;
    double value;
};
enum { COLUMNS = 13 };

static void columns_of(const struct lap_result *r, struct column c[COLUMNS])
{
    bool flew = isfinite(r->slowest_mps);
    const struct column all[COLUMNS] = {
        {"grip", r->grip},
        {"out_lap_s", r->out_s},
        {"lap_s", r->best_s},
        {"planned_s", r->planned_s},
        {"laps", r->laps},
        {"slowest_kmh", flew ? 3.6 * r->slowest_mps : NAN},
        {"fastest_kmh", flew ? 3.6 * r->fastest_mps : NAN},
        {"lateral_mps2", flew ? r->lateral_mps2 : NAN},
        {"sideslip_deg", flew ? deg * r->sideslip_rad : NAN},
        {"offset_m", flew ? r->offset_m : NAN},
        {"offset_rms_m", r->offset_rms_m},
        {"speed_rms_mps", r->slow_rms_mps},
        {"end_s", r->end_s},
    };
    memcpy(c, all, sizeof all);
}

int lap_csv(const struct laps *l, FILE *to)
{
    struct column c[COLUMNS];
    columns_of(&l->variant[0].result, c);
    for (int k = 0; k < l->axes; k++)
        fprintf(to, "%s,", l->axis[k].key);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(to, "%s,", c[i].name);
    fprintf(to, "finished\n");
    for (int v = 0; v < l->count; v++) {
        columns_of(&l->variant[v].result, c);
        for (int k = 0; k < l->axes; k++)
            fprintf(to, "%s,", l->axis[k].text[l->variant[v].index[k]]);
        for (int i = 0; i < COLUMNS; i++)
            if (isfinite(c[i].value))
                fprintf(to, "%.9g,", c[i].value);
            else
                fprintf(to, ",");
        fprintf(to, "%d\n", l->variant[v].result.end == LAP_DONE);
    }
    return ferror(to) ? -EIO : 0;
}

int lap_json(const struct laps *l, FILE *to)
{
    struct json_writer w = {.to = to};
    json_open(&w, NULL, '{');
    json_text(&w, "format", "skidpad lap");
    json_text(&w, "scenario", l->scenario);
    json_text(&w, "name", l->name);
    json_text(&w, "car", l->car);
    json_double(&w, "lap_m", l->lap_m);
    json_open(&w, "variants", '[');
    for (int v = 0; v < l->count; v++) {
        const struct lap_variant *one = &l->variant[v];
        struct column c[COLUMNS];
        char why[80];
        json_open(&w, NULL, '{');
        json_open(&w, "set", '{');
        for (int k = 0; k < l->axes; k++) {
            const struct lap_axis *a = &l->axis[k];
            if (isfinite(a->value[one->index[k]]))
                json_double(&w, a->key, a->value[one->index[k]]);
            else
                json_text(&w, a->key, a->text[one->index[k]]);
        }
        json_close(&w);
        lap_why(&one->result, why, sizeof why);
        json_bool(&w, "finished", one->result.end == LAP_DONE);
        if (why[0])
            json_text(&w, "why", why);
        columns_of(&one->result, c);
        for (int i = 0; i < COLUMNS; i++)
            json_double(&w, c[i].name, c[i].value);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    return json_finish(&w);
}
