#include "target/commands.h"

#include "shared/base/nearest.h"
#include "shared/base/time.h"
#include "target/run_log.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static int64_t monotonic_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int commands_open(struct commands *c, struct loop *loop, struct serve *serve, bool thread,
                  struct err *e)
{
    *c = (struct commands){.loop = loop, .serve = serve, .now_ns = monotonic_ns, .made = true};
    lease_init(&c->lease);
    if (tune_open(&c->tune, loop->car))
        return err_set(e, -ENOMEM, "out of memory");
    return prepare_open(&c->prepare, &c->tune, serve, thread, e);
}

void commands_close(struct commands *c)
{
    if (!c->made)
        return;
    prepare_close(&c->prepare);
    tune_close(&c->tune);
    lease_free(&c->lease);
    c->made = false;
}

/* ---- one line */

/* A line that is being taken. */
struct line {
    struct commands *c;
    const struct command_from *from;
    char **word;
    struct command_ticket *ticket;
    char *answer;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool say(const struct line *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(l->answer, l->size, format, values);
    va_end(values);
    return false;
}

static_assert((int)REQUEST_WHO == (int)LEASE_NAME, "one kind of names");

/* As the log shall have it. */
static void put_words(const struct command_ticket *t, const struct request *r,
                      struct request_words *words)
{
    char *what = words->what;
    (void)snprintf(words->who, sizeof words->who, "%s", t->who);
    if (t->scenario)
        (void)snprintf(what, REQUEST_WHAT, "scenario %s", t->name);
    else if (r->kind == REQUEST_SETUP)
        (void)snprintf(what, REQUEST_WHAT, "set %s %g", t->name, t->value);
    else if (r->kind == REQUEST_RESET)
        (void)snprintf(what, REQUEST_WHAT, "reset %" PRIu64, r->safe);
    else if (r->kind == REQUEST_FAULT_ON || r->kind == REQUEST_FAULT_OFF)
        (void)snprintf(what, REQUEST_WHAT, "fault %s %s", t->name,
                       r->kind == REQUEST_FAULT_ON ? "on" : "off");
    else
        (void)snprintf(what, REQUEST_WHAT, "%s", request_name(r->kind));
}

/* Hands it to the tick. */
static bool post(const struct line *l, struct request *r)
{
    struct request_words words;
    put_words(l->ticket, r, &words);
    int bad = requests_post(&l->c->loop->requests, r, &words);
    if (bad == -ESHUTDOWN)
        return say(l, "error %s", request_result_text(REQUEST_ENDED));
    if (bad && r->kind == REQUEST_SAFE)
        return say(l, "error too many requests are on their way: the safe state is entered all the "
                      "same, but nobody confirms it");
    if (bad)
        return say(l, "error too many requests are on their way; try again");
    l->ticket->kind = r->kind;
    l->ticket->number = r->number;
    return true;
}

static bool take_plain(const struct line *l, int kind)
{
    return post(l, &(struct request){.kind = kind});
}

static bool take_start(const struct line *l)
{
    return take_plain(l, REQUEST_START);
}

static bool take_stop(const struct line *l)
{
    return take_plain(l, REQUEST_END);
}

static bool take_safe(const struct line *l)
{
    return take_plain(l, REQUEST_SAFE);
}

static bool take_reset(const struct line *l)
{
    char *end;
    errno = 0;
    unsigned long long safe = strtoull(l->word[1], &end, 10);
    if (*end != '\0' || errno || l->word[1][0] < '0' || l->word[1][0] > '9')
        return say(l, "error \"%.64s\" is not the number of a safe state; status names it",
                   l->word[1]);
    return post(l, &(struct request){.kind = REQUEST_RESET, .safe = safe});
}

static const char *nearest_fault(const struct fault_set *set, const char *name)
{
    const char *names[FAULTS];
    int count = set ? set->count : 0;
    for (int i = 0; i < count; i++)
        names[i] = set->fault[i].name;
    return nearest_word(name, names, (size_t)count);
}

static bool take_fault(const struct line *l)
{
    const struct fault_set *set = l->c->loop->faults;
    const char *name = l->word[1], *what = l->word[2];
    bool on = strcmp(what, "on") == 0;
    int i = 0, count = set ? set->count : 0;
    while (i < count && strcmp(set->fault[i].name, name) != 0)
        i++;
    if (i == count) {
        const char *near = nearest_fault(set, name);
        return say(l, "error the bench file has no fault \"%.64s\"%s%s%s", name,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    if (!on && strcmp(what, "off") != 0)
        return say(l, "error \"%.64s\": a fault is switched on or off", what);
    (void)snprintf(l->ticket->name, sizeof l->ticket->name, "%s", name);
    return post(l,
                &(struct request){.kind = on ? REQUEST_FAULT_ON : REQUEST_FAULT_OFF, .fault = i});
}

static bool prepare(const struct line *l, bool is_scenario, double value)
{
    struct command_ticket *t = l->ticket;
    if (strlen(l->word[1]) >= sizeof t->name)
        return say(l, "error \"%.40s...\" is too long for a name", l->word[1]);
    if (prepare_begin(&l->c->prepare, is_scenario, l->word[1], value))
        return say(l, "error another change is being prepared; try again");
    t->kind = is_scenario ? REQUEST_END : REQUEST_SETUP;
    t->preparing = true;
    t->scenario = is_scenario;
    t->value = value;
    (void)snprintf(t->name, sizeof t->name, "%s", l->word[1]);
    return true;
}

static bool take_set(const struct line *l)
{
    char *end;
    double value = strtod(l->word[2], &end);
    if (end == l->word[2] || *end != '\0')
        return say(l, "error \"%.64s\" is no number", l->word[2]);
    if (!l->c->prepare.tune)
        return say(l, "error this run's set-up cannot be changed");
    return prepare(l, false, value);
}

static bool take_scenario(const struct line *l)
{
    if (!l->c->serve)
        return say(l,
                   "error this run ends with its scenario: skidpad run --serve stays for others");
    return prepare(l, true, 0.0);
}

/* A log that is further behind than it should be: at this moment a crash would lose as much. */
static void log_text(const struct commands *c, char *text, size_t size)
{
    int64_t covered_ns = c->covered_ns ? atomic_load(c->covered_ns) : 0;
    int64_t behind_ns = covered_ns > 0 ? c->now_ns() - covered_ns : 0;
    text[0] = '\0';
    if (behind_ns > run_log_bound_ns)
        (void)snprintf(text, size, ", LOG %.2f s BEHIND", 1e-9 * (double)behind_ns);
}

static bool take_status(const struct line *l)
{
    const struct loop_live *now = l->from->now;
    char holder[LEASE_NAME], state[120], log[40];
    log_text(l->c, log, sizeof log);
    lease_holder(&l->c->lease, l->c->now_ns(), holder);
    if (now->cause)
        (void)snprintf(state, sizeof state, "SAFE STATE %" PRIu64 ": %s", now->safe_number,
                       loop_cause_name(now->cause));
    else
        (void)snprintf(state, sizeof state, "%s",
                       atomic_load(&l->c->loop->waiting) ? "waiting for a start" : "running");
    return say(l, "ok tick %" PRId64 " missed %" PRIu64 " %.1f km/h %s, held by %s%s", now->tick,
               now->deadlines.misses, 3.6 * now->speed_mps, state, holder[0] ? holder : "nobody",
               log);
}

static bool take_take(const struct line *l)
{
    lease_take_over(&l->c->lease, l->from->who, l->c->now_ns());
    return say(l, "ok %s holds the bench", l->from->who);
}

static bool take_release(const struct line *l)
{
    if (!lease_release(&l->c->lease, l->from->who, l->c->now_ns()))
        return say(l, "error %s does not hold the bench", l->from->who);
    return say(l, "ok nobody holds the bench");
}

static bool take_hold(const struct line *l)
{
    char holder[LEASE_NAME];
    lease_renew(&l->c->lease, l->from->who, l->c->now_ns());
    lease_holder(&l->c->lease, l->c->now_ns(), holder);
    return say(l, "ok held by %s", holder[0] ? holder : "nobody");
}

/* Every request there is; the first word finds it. */
static const struct {
    const char *word;
    int words;        /* with the first one */
    bool free;        /* of the lease: anybody may, at any time */
    const char *rest; /* what the others are */
    bool (*take)(const struct line *l);
} requests[] = {
    {"start", 1, false, "", take_start},
    {"stop", 1, true, "", take_stop},
    {"safe", 1, true, "", take_safe},
    {"reset", 2, false, " NUMBER (of the safe state, as status has it)", take_reset},
    {"status", 1, true, "", take_status},
    {"fault", 3, false, " NAME on|off", take_fault},
    {"set", 3, false, " NAME VALUE", take_set},
    {"scenario", 2, false, " NAME", take_scenario},
    {"take", 1, true, "", take_take},
    {"release", 1, true, "", take_release},
    {"hold", 1, true, "", take_hold},
};
enum { KNOWN = sizeof requests / sizeof requests[0] };

static bool take_unknown(const struct line *l)
{
    const char *known[KNOWN + 2] = {[KNOWN] = "uds", "dtc"};
    for (size_t i = 0; i < KNOWN; i++)
        known[i] = requests[i].word;
    const char *near = nearest_word(l->word[0], known, KNOWN + 2);
    return say(l, "error unknown request \"%.64s\"%s%s%s", l->word[0],
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool command_is_safe(const char *text)
{
    static const char blanks[] = " \t\r\n\v\f";
    text += strspn(text, blanks);
    while (text[0] == '@') { /* a name, or what was meant for one */
        text += strcspn(text, blanks);
        text += strspn(text, blanks);
    }
    return strncasecmp(text, "safe", 4) == 0 && !isalnum((unsigned char)text[4]) && text[4] != '_';
}

/* NOLINTBEGIN(readability-non-const-parameter): what is said goes into the answer */
bool commands_begin(struct commands *c, const struct command_from *from, const char *text,
                    struct command_ticket *ticket, char *answer, size_t size)
/* NOLINTEND(readability-non-const-parameter) */
{
    char copy[512], *word[COMMAND_WORDS], *rest = NULL, holder[LEASE_NAME];
    const struct line l = {c, from, word, ticket, answer, size};
    int words = 0;
    *ticket = (struct command_ticket){.number = 0};
    (void)snprintf(ticket->who, sizeof ticket->who, "%s", from->who);
    if (command_is_safe(text))
        return take_safe(&l); /* however it is written, and however long */
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return say(&l, "error the request is too long");
    for (char *w = strtok_r(copy, " \t\n", &rest); w && words < COMMAND_WORDS;
         w = strtok_r(NULL, " \t\n", &rest))
        word[words++] = w;
    if (words == 0)
        return say(&l, "error the request is empty; see skidpad control --help");
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(requests[i].word, word[0]) != 0)
            continue;
        if (words != requests[i].words)
            return say(&l, "error usage: %s%s", word[0], requests[i].rest);
        if (!requests[i].free && !lease_take(&c->lease, from->who, c->now_ns(), holder))
            return say(&l, "error %s holds the bench: wait, or take it over with `take`", holder);
        return requests[i].take(&l);
    }
    return take_unknown(&l);
}

bool commands_may_drive(struct commands *c, const char *who)
{
    char holder[LEASE_NAME];
    return lease_take(&c->lease, who, c->now_ns(), holder);
}

/* ---- answers that come later */

/* What was prepared goes to the tick. Returns true with an answer if it does not. */
static bool post_prepared(struct commands *c, struct command_ticket *t, const struct line *l)
{
    struct prepare *p = &c->prepare;
    struct request r = {.kind = t->kind, .payload = p->vehicle};
    if (p->bad)
        (void)say(l, "error %.300s", p->error.text);
    else if (post(l, &r))
        p->vehicle = NULL; /* the tick's now */
    else
        p->bad = -EAGAIN;
    t->preparing = false;
    if (!p->bad)
        return false;
    free(p->vehicle);
    p->vehicle = NULL;
    prepare_end(p);
    return true;
}

/* Another set-up, another scenario: what holds from now on. */
static void settle(struct commands *c, const struct command_ticket *t, bool done)
{
    if (t->kind == REQUEST_SETUP && done)
        tune_commit(&c->tune);
    if (t->scenario && done)
        serve_commit(c->serve, c->prepare.path);
    if (t->kind == REQUEST_SETUP || t->scenario)
        prepare_end(&c->prepare);
}

static void text_of(const struct command_ticket *t, const struct request_done *d, char *text,
                    size_t size)
{
    switch (d->kind) {
    case REQUEST_START:
        (void)snprintf(text, size, "the run begins");
        break;
    case REQUEST_SAFE:
        (void)snprintf(text, size, "safe state %" PRIu64, d->safe);
        break;
    case REQUEST_RESET:
        (void)snprintf(text, size, "safe state %" PRIu64 " is left", d->safe);
        break;
    case REQUEST_FAULT_ON:
    case REQUEST_FAULT_OFF:
        (void)snprintf(text, size, "fault %s %s", t->name,
                       d->kind == REQUEST_FAULT_ON ? "on" : "off");
        break;
    case REQUEST_SETUP:
        (void)snprintf(text, size, "%s is %g", t->name, t->value);
        break;
    default:
        if (t->scenario)
            (void)snprintf(text, size, "scenario %s waits for a start", t->name);
        else
            (void)snprintf(text, size, "the run ends");
        break;
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as above */
bool commands_end(struct commands *c, struct command_ticket *t, char *answer, size_t size)
{
    const struct line l = {.c = c, .ticket = t, .answer = answer, .size = size};
    struct request_done done;
    char text[160];
    if (t->preparing) {
        if (!prepare_is_ready(&c->prepare))
            return false;
        if (post_prepared(c, t, &l))
            return true;
    }
    if (!requests_read(&c->loop->requests, t->number, &done))
        return false;
    settle(c, t, done.result == REQUEST_DONE);
    text_of(t, &done, text, sizeof text);
    if (done.result == REQUEST_DONE)
        (void)say(&l, "ok %" PRIu64 " tick %" PRId64 ": %s", done.number, done.tick, text);
    else if (done.result == REQUEST_OTHER_SAFE)
        (void)say(&l, "error %" PRIu64 " tick %" PRId64 ": %s (now %" PRIu64 ")", done.number,
                  done.tick, request_result_text(done.result), done.safe);
    else
        (void)say(&l, "error %" PRIu64 " tick %" PRId64 ": %s", done.number, done.tick,
                  request_result_text(done.result));
    return true;
}
