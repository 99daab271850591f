/* Verdicts and measures as JSON: for machines, and for `skidpad report --compare`. */
#include "shared/base/json_write.h"
#include "target/trial.h"

static void put_measures(struct json_writer *w, const struct trial *t, const struct trial_run *r)
{
    json_open(w, "measures", '[');
    for (int k = 0; k < t->verdict->measures; k++) {
        const struct verdict_measure *m = &t->verdict->measure[k];
        json_open(w, NULL, '{');
        json_text(w, "name", m->name);
        json_double(w, "si", r->result.measure[k]);
        json_text(w, "unit", m->unit);
        json_double(w, "value", r->result.measure[k] * m->per_unit);
        json_close(w);
    }
    json_close(w);
}

static void put_criteria(struct json_writer *w, const struct trial *t, const struct trial_run *r)
{
    json_open(w, "criteria", '[');
    for (int k = 0; k < t->verdict->criteria; k++) {
        const struct verdict_criterion *c = &t->verdict->criterion[k];
        json_open(w, NULL, '{');
        json_text(w, "name", c->name);
        json_text(w, "that", c->text);
        json_text(w, "outcome", trial_word(r->result.outcome[k]));
        json_double(w, "left_si", r->result.left[k]);
        json_double(w, "right_si", r->result.right[k]);
        json_text(w, "unit", c->unit);
        json_double(w, "left", r->result.left[k] * c->per_unit);
        json_double(w, "right", r->result.right[k] * c->per_unit);
        json_text(w, "source", c->source);
        json_text(w, "certainty", c->certainty);
        json_close(w);
    }
    json_close(w);
}

static void put_deadlines(struct json_writer *w, const struct trial_deadlines *d)
{
    if (!d->is_real_time)
        return;
    json_open(w, "deadlines", '{');
    json_text(w, "core", d->core);
    json_double(w, "period_us", d->period_us);
    json_int(w, "ticks", (int64_t)d->ticks);
    json_int(w, "missed", (int64_t)d->missed);
    json_int(w, "skipped", (int64_t)d->skipped);
    json_double(w, "late_us", d->late_us);
    json_double(w, "wake_max_us", d->wake_us[2]);
    json_double(w, "execution_max_us", d->execute_us[2]);
    json_double(w, "response_max_us", d->reply_us[2]);
    json_close(w);
}

static void put_codes(struct json_writer *w, const struct trial_codes *c)
{
    char text[UDS_CODE_TEXT];
    json_open_flat(w, "trouble_codes");
    for (int i = 0; i < c->count; i++)
        json_text(w, NULL, uds_code_text(c->code[i], text));
    json_close(w);
}

static void put_run(struct json_writer *w, const struct trial *t, const struct trial_run *r)
{
    json_open(w, NULL, '{');
    json_text(w, "label", r->label);
    json_int(w, "status", r->status);
    json_text(w, "safe_state", r->cause ? loop_cause_name(r->cause) : "");
    put_codes(w, &r->codes);
    json_text(w, "log_lacks", r->lacks);
    json_double(w, "time_s", r->time_s);
    put_deadlines(w, &r->deadlines);
    if (t->verdict) {
        put_measures(w, t, r);
        put_criteria(w, t, r);
    }
    json_close(w);
}

int trial_json(const struct trials *t, FILE *to)
{
    struct json_writer w = {.to = to};
    json_open(&w, NULL, '{');
    json_text(&w, "format", "skidpad test");
    json_int(&w, "failed", trials_failed(t));
    json_open(&w, "manoeuvres", '[');
    for (int i = 0; i < t->count; i++) {
        const struct trial *one = &t->trial[i];
        json_open(&w, NULL, '{');
        json_text(&w, "name", one->name);
        json_text(&w, "scenario", one->scenario);
        json_text(&w, "car", one->car);
        json_text(&w, "unit", one->unit_file);
        json_text(&w, "standard", one->standard);
        json_text(&w, "state", trial_state(one));
        json_bool(&w, "passed", one->passed);
        json_double(&w, "time_s", one->time_s);
        json_double(&w, "wall_s", one->wall_s);
        json_open(&w, "runs", '[');
        for (int k = 0; k < one->runs; k++)
            put_run(&w, one, &one->run[k]);
        json_close(&w);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    return json_finish(&w);
}
