#include "rt-tests/support/request_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t lease_ns = 10000000000;
static const char too_late[] = "the run ended before it could be carried out";

void model_begin(struct request_model *m)
{
    memset(m, 0, sizeof *m);
    m->rear_bar = 1.0;
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Whether `who` may command now; if so, the lease is theirs for a while. */
static bool hold(struct request_model *m, const char *who, int64_t now_ns)
{
    bool is_free = m->holder[0] == '\0' || now_ns >= m->held_until_ns;
    if (!is_free && !is(m->holder, who))
        return false;
    (void)snprintf(m->holder, sizeof m->holder, "%s", who);
    m->held_until_ns = now_ns + lease_ns;
    return true;
}

static void give_number(struct request_model *m, struct model_asked *a)
{
    a->number = ++m->last_number;
    m->asked[m->asked_count++] = *a;
}

void model_status(const struct request_model *m, int64_t now_ns, char text[MODEL_TEXT])
{
    char state[80];
    bool held = m->holder[0] != '\0' && now_ns < m->held_until_ns;
    if (m->safe)
        (void)snprintf(state, sizeof state, "SAFE STATE %" PRIu64 ": %s", m->safe_number,
                       m->by_person ? "operator stop" : "the unit is silent");
    else
        (void)snprintf(state, sizeof state, "%s",
                       m->phase == MODEL_WAITS ? "waiting for a start" : "running");
    (void)snprintf(text, MODEL_TEXT, "%s, held by %s", state, held ? m->holder : "nobody");
}

/* Requests that are answered at once. */
static bool take_now(struct request_model *m, const char *who, const char *word, int64_t now_ns,
                     char text[MODEL_TEXT])
{
    bool mine = is(m->holder, who) && now_ns < m->held_until_ns;
    bool nobodys = m->holder[0] == '\0' || now_ns >= m->held_until_ns;
    if (is(word, "status")) {
        model_status(m, now_ns, text);
    } else if (is(word, "take")) {
        m->holder[0] = '\0';
        (void)hold(m, who, now_ns);
        (void)snprintf(text, MODEL_TEXT, "ok %s holds the bench", who);
    } else if (is(word, "release")) {
        if (mine || nobodys)
            m->holder[0] = '\0';
        (void)snprintf(text, MODEL_TEXT,
                       mine || nobodys ? "ok nobody holds the bench"
                                       : "error %s does not hold the bench",
                       who);
    } else if (is(word, "hold")) {
        if (mine)
            m->held_until_ns = now_ns + lease_ns;
        text[0] = '\0'; /* the host's own; nobody reads it */
    } else {
        return false;
    }
    return true;
}

static bool prepares(struct request_model *m, struct model_asked *a, char text[MODEL_TEXT])
{
    if (m->preparing) {
        (void)snprintf(text, MODEL_TEXT, "error another change is being prepared; try again");
        return true;
    }
    m->preparing = true;
    m->prepared[m->prepared_count++] = *a;
    return false;
}

bool model_take(struct request_model *m, const char *who, const char *line, int64_t now_ns, int tag,
                char text[MODEL_TEXT])
{
    struct model_asked a = {.tag = tag};
    char second[64] = "", third[64] = "";
    int words = sscanf(line, "%15s %63s %63s", a.word, second, third);
    if (words < 1 || take_now(m, who, a.word, now_ns, text))
        return true;
    bool anybody = is(a.word, "safe") || is(a.word, "stop");
    if (!anybody && !hold(m, who, now_ns)) {
        (void)snprintf(text, MODEL_TEXT,
                       "error %s holds the bench: wait, or take it over with `take`", m->holder);
        return true;
    }
    (void)snprintf(a.name, sizeof a.name, "%s", second);
    (void)snprintf(a.who, sizeof a.who, "%s", who);
    a.safe = strtoull(second, NULL, 10);
    a.value = strtod(third, NULL);
    a.on = is(third, "on");
    if (is(a.word, "set") || is(a.word, "scenario"))
        return prepares(m, &a, text);
    if (m->phase == MODEL_OVER) {
        (void)snprintf(text, MODEL_TEXT, "error %s", too_late);
        return true;
    }
    give_number(m, &a);
    return false;
}

void model_post_prepared(struct request_model *m, model_answer *answer, void *self)
{
    char text[MODEL_TEXT];
    for (int i = 0; i < m->prepared_count; i++) {
        if (m->phase != MODEL_OVER) {
            give_number(m, &m->prepared[i]);
            continue;
        }
        (void)snprintf(text, sizeof text, "error %s", too_late);
        m->preparing = false;
        answer(self, m->prepared[i].tag, text);
    }
    m->prepared_count = 0;
}

void model_change_is_read(struct request_model *m)
{
    m->preparing = false;
}

void model_trips(struct request_model *m)
{
    if (m->safe)
        return;
    m->safe = true;
    m->by_person = false;
    m->safe_number++;
}

/* Why a request is refused; NULL: it is carried out, and said says what holds now. */
static const char *carry_out(struct request_model *m, const struct model_asked *a,
                             char said[MODEL_TEXT])
{
    if (is(a->word, "start")) {
        if (m->phase != MODEL_WAITS || m->begins)
            return "the run has begun already";
        if (m->ends)
            return "the run is about to end";
        if (m->safe)
            return "the bench is in its safe state: leave that with reset first";
        m->begins = true;
        (void)snprintf(said, MODEL_TEXT, "the run begins");
    } else if (is(a->word, "stop")) {
        m->ends = true;
        (void)snprintf(said, MODEL_TEXT, "the run ends");
    } else if (is(a->word, "scenario")) {
        m->ends = true;
        (void)snprintf(m->scenario, sizeof m->scenario, "%s", a->name);
        (void)snprintf(said, MODEL_TEXT, "scenario %s waits for a start", a->name);
    } else if (is(a->word, "reset")) {
        if (!m->safe)
            return "there is no safe state to leave";
        if (a->safe != m->safe_number)
            return "that is not the number of the safe state: look at its cause first";
        m->safe = false;
        (void)snprintf(said, MODEL_TEXT, "safe state %" PRIu64 " is left", m->safe_number);
    } else if (is(a->word, "fault")) {
        unsigned bit = 1u << (unsigned)(a->name[1] - '0');
        m->faults = a->on ? m->faults | bit : m->faults & ~bit;
        (void)snprintf(said, MODEL_TEXT, "fault %s %s", a->name, a->on ? "on" : "off");
    } else {
        m->rear_bar = a->value;
        (void)snprintf(said, MODEL_TEXT, "%s is %g", a->name, a->value);
    }
    return NULL;
}

/* The log: number, what was asked for, by whom, what became of it. */
static void log_event(struct request_model *m, const struct model_asked *a, const char *why)
{
    char what[128];
    if (is(a->word, "fault"))
        (void)snprintf(what, sizeof what, "fault %s %s", a->name, a->on ? "on" : "off");
    else if (is(a->word, "set"))
        (void)snprintf(what, sizeof what, "set %s %g", a->name, a->value);
    else if (is(a->word, "scenario"))
        (void)snprintf(what, sizeof what, "scenario %s", a->name);
    else if (is(a->word, "reset"))
        (void)snprintf(what, sizeof what, "reset %" PRIu64, a->safe);
    else
        (void)snprintf(what, sizeof what, "%s", a->word);
    (void)snprintf(m->event[m->event_count++], MODEL_TEXT, "%" PRIu64 " %s by %s: %s", a->number,
                   what, a->who, why ? why : "done");
}

void model_tick(struct request_model *m, int64_t tick, model_answer *answer, void *self)
{
    char said[MODEL_TEXT], text[MODEL_TEXT + 100];
    bool stop = false;
    for (int i = 0; i < m->asked_count; i++)
        stop |= is(m->asked[i].word, "safe");
    if (stop) {
        m->by_person |= !m->safe;
        m->safe = true;
        m->safe_number++;
    }
    for (int i = 0; i < m->asked_count; i++) {
        const struct model_asked *a = &m->asked[i];
        const char *why = NULL;
        if (is(a->word, "safe"))
            (void)snprintf(said, sizeof said, "safe state %" PRIu64, m->safe_number);
        else
            why = stop ? "`safe` came in the same tick and goes first: ask again"
                       : carry_out(m, a, said);
        log_event(m, a, why);
        (void)snprintf(text, sizeof text, "%s %" PRIu64 " tick %" PRId64 ": %s",
                       why ? "error" : "ok", a->number, tick, why ? why : said);
        /* That refusal names the number that would be right. */
        if (why && is(a->word, "reset") && m->safe && !stop)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), " (now %" PRIu64 ")",
                           m->safe_number);
        m->carried_out += why == NULL;
        m->refused += why != NULL;
        answer(self, a->tag, text);
    }
    m->asked_count = 0;
}

void model_close(struct request_model *m, model_answer *answer, void *self)
{
    char text[MODEL_TEXT];
    m->phase = MODEL_OVER;
    for (int i = 0; i < m->asked_count; i++) {
        (void)snprintf(text, sizeof text, "error %" PRIu64 " tick -1: %s", m->asked[i].number,
                       too_late);
        answer(self, m->asked[i].tag, text);
    }
    m->asked_count = 0;
}
