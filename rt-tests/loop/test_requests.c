/* Requests from two sockets and two pages at once, in random order and at random moments: through
 * the parsers of socket, page, host and target, to the loop. A model of them that shares no code
 * with the run (rt-tests/support/request_model.h) says what each answer must be, to the letter, and
 * what state the bench must be in after every tick; the events must say the same.
 *
 * One thread does all, on simulated clocks: what happens depends on the seed only. REQUESTS_SEED
 * and REQUESTS_BURSTS set others than the usual ones. */
/* build: no-tsan */
#include "host/pages.h"
#include "rt-tests/support/request_model.h"
#include "shared/base/time.h"
#include "target/control.h"
#include "target/publish.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000, SOURCES = 4, SOCKETS = 2, WAITS = 4096, BURSTS_A_RUN = 60 };

/* ---- the clock of the whole program */

static int64_t clock_ns = 1000 * NS_PER_S;
int own_clock(clockid_t id, struct timespec *t) __asm__("__wrap_clock_gettime");
int own_clock(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){.tv_sec = clock_ns / NS_PER_S, .tv_nsec = clock_ns % NS_PER_S};
    return 0;
}

static uint64_t random_state;
static unsigned below(unsigned n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % n;
}

/* ---- the bench */

/* An answer that must come. */
struct due {
    bool used, given_up; /* given up: a stop overtook it at the host */
    int source;
    int64_t id; /* of a page's message */
    bool is_known, is_change, is_status;
    char text[MODEL_TEXT];
};

struct bed {
    struct loop loop;
    struct rt rt;
    struct offline car;
    struct fault_set faults;
    struct serve serve;
    struct commands commands;
    struct control control;
    struct publish publish;
    struct host host;
    struct pages pages;
    struct request_model model;
    int host_port;
    char folder[64], key_path[96], socket_path[96];
    int client[SOCKETS];
    struct due due[WAITS]; /* by tag */
    int lines;             /* on the socket, not taken yet */
    int line_tag[WAITS];
    char line[WAITS][64];
    uint64_t sent, taken; /* commands of this run: by the host, by the target */
    struct host_command command[WAITS];
    int64_t ids;
    int bursts, bursts_left;
    uint64_t answers, events, overtaken, numbers;
};

static struct bed *bed;

static int new_due(struct bed *b, int source, int64_t id)
{
    for (int i = 0; i < WAITS; i++)
        if (!b->due[i].used) {
            b->due[i] = (struct due){.used = true, .source = source, .id = id};
            return i;
        }
    fail_msg("too many answers are outstanding");
    return -1;
}

/* What the model says that the answer must be. */
static void expected(void *self, int tag, const char *text)
{
    struct bed *b = self;
    struct due *d = &b->due[tag];
    d->is_known = true;
    (void)snprintf(d->text, sizeof d->text, "%s", text);
}

static void name_of(const struct bed *b, int source, char who[TELEMETRY_WHO])
{
    if (source < SOCKETS)
        (void)snprintf(who, TELEMETRY_WHO, "%s", source == 0 ? "anna" : "socket");
    else
        host_name_page(&b->host, (uint32_t)(source - SOCKETS + 1), who);
}

static void take(struct bed *b, int tag, const char *who, const char *line)
{
    char text[MODEL_TEXT];
    struct due none, *d = tag >= 0 ? &b->due[tag] : &none;
    d->is_change = strncmp(line, "set ", 4) == 0 || strncmp(line, "scenario ", 9) == 0;
    d->is_status = strcmp(line, "status") == 0;
    if (model_take(&b->model, who, line, clock_ns, tag, text) && tag >= 0)
        expected(b, tag, text);
}

/* ---- answers */

static bool fits(const struct due *d, const char *text)
{
    if (d->is_status) /* tick, missed deadlines and speed are other tests' */
        return strncmp(text, "ok tick ", 8) == 0 && strstr(text, d->text) != NULL;
    return strcmp(d->text, text) == 0;
}

static void compare(struct bed *b, int source, int64_t id, const char *text)
{
    const struct due *near = NULL;
    for (int i = 0; i < WAITS; i++) {
        struct due *d = &b->due[i];
        if (!d->used || d->source != source || (source >= SOCKETS && d->id != id))
            continue;
        near = near && near->is_known ? near : d;
        if (!d->is_known || !fits(d, text))
            continue;
        if (d->is_change && strncmp(text, "error another", 13) != 0 &&
            strstr(text, "holds the bench") == NULL)
            model_change_is_read(&b->model);
        d->used = false;
        b->answers++;
        return;
    }
    fail_msg("source %d: \"%s\", but it must be \"%s\"", source, text,
             near && near->is_known ? near->text : "(nothing yet)");
}

static void read_sockets(struct bed *b)
{
    char text[CONTROL_LINE];
    for (int i = 0; i < SOCKETS; i++) {
        ssize_t n;
        while ((n = recv(b->client[i], text, sizeof text - 1, MSG_DONTWAIT)) > 0) {
            text[n] = '\0';
            compare(b, i, 0, text);
        }
    }
}

/* To a page: with ok and error in front as the target said it. */
static void on_reply(void *self, const struct host_command *c, bool ok, const char *text)
{
    struct bed *b = self;
    char whole[MODEL_TEXT + 8];
    int source = (int)c->page - 1 + SOCKETS;
    if (strncmp(text, "a stop went first", 17) == 0) {
        assert_false(ok);
        b->overtaken++;
        for (int i = 0; i < WAITS; i++)
            if (b->due[i].used && b->due[i].source == source && b->due[i].id == c->id)
                b->due[i].given_up = true;
        return;
    }
    (void)snprintf(whole, sizeof whole, "%s %s", ok ? "ok" : "error", text);
    compare(b, source, c->id, whole);
}

static bool is_open(void *self, uint32_t page)
{
    (void)self, (void)page;
    return true;
}

/* ---- one round of each thread */

static void socket_round(struct bed *b)
{
    char who[TELEMETRY_WHO];
    control_poll(&b->control);
    for (int i = 0; i < b->lines; i++) {
        name_of(b, b->due[b->line_tag[i]].source, who);
        take(b, b->line_tag[i], who, b->line[i]);
    }
    b->lines = 0;
    model_post_prepared(&b->model, expected, b);
    read_sockets(b);
}

static struct host_target *target(struct bed *b)
{
    for (int i = 0; i < HOST_TARGETS; i++)
        if (atomic_load(&b->host.target[i].used) && b->host.target[i].run == b->publish.header.run)
            return &b->host.target[i];
    return NULL;
}

/* What the host has sent, in its order. */
static void note_sent(struct bed *b)
{
    const struct host_target *t = target(b);
    if (!t || !t->session.made || t->session.commands <= b->sent)
        return;
    assert_int_equal(t->session.commands, b->sent + 1);
    /* A stop goes before everything that waits at the host. */
    for (int i = 0; i < b->host.queued && strcmp(t->session.command.line, "safe") != 0; i++)
        assert_string_not_equal(b->host.queue[i].line, "safe");
    b->command[++b->sent % WAITS] = t->session.command;
}

static int tag_of(const struct bed *b, const struct host_command *c)
{
    for (int i = 0; i < WAITS; i++)
        if (b->due[i].used && b->due[i].source == (int)c->page - 1 + SOCKETS &&
            b->due[i].id == c->id)
            return i;
    return -1;
}

static void publish_once(struct bed *b)
{
    char who[TELEMETRY_WHO];
    publish_round(&b->publish);
    uint64_t newest = 0;
    for (int i = 0; i < PUBLISH_SESSIONS; i++)
        if (b->publish.session[i].used && b->publish.session[i].commands > newest)
            newest = b->publish.session[i].commands;
    while (b->taken < newest) {
        const struct host_command *c = &b->command[++b->taken % WAITS];
        int tag = c->page != 0 ? tag_of(b, c) : -1;
        host_name_page(&b->host, c->page ? c->page : c->as, who);
        take(b, tag, who, c->line);
        if (tag >= 0 && b->due[tag].given_up)
            b->due[tag].used = b->due[tag].is_change; /* its answer reaches nobody */
    }
    model_post_prepared(&b->model, expected, b);
}

static void host_once(struct bed *b)
{
    host_round(&b->host);
    note_sent(b);
}

static void host_and_publish_round(struct bed *b)
{
    host_once(b);
    publish_once(b);
    host_once(b);
}

/* A change whose page got no answer because a stop overtook it: the target has read it. */
static void forget_given_up(struct bed *b)
{
    for (int i = 0; i < WAITS; i++) {
        struct due *d = &b->due[i];
        if (!d->used || !d->given_up || !d->is_known || b->publish.pending_count > 0)
            continue;
        if (strncmp(d->text, "error another", 13) != 0 && !strstr(d->text, "holds the bench"))
            model_change_is_read(&b->model);
        d->used = false;
    }
}

static void all_rounds(struct bed *b)
{
    socket_round(b);
    host_and_publish_round(b);
    forget_given_up(b);
}

/* ---- what people ask for */

static void some_line(struct bed *b, char line[64])
{
    uint64_t safe = b->model.safe_number;
    switch (below(40)) {
    case 0 ... 8:
        (void)snprintf(line, 64, "safe");
        break;
    case 9 ... 20: /* the right number, an old one, one to come */
        safe = below(8) > 0 ? safe : safe + 1 - below(3);
        (void)snprintf(line, 64, "reset %" PRIu64, safe == UINT64_MAX ? 0 : safe);
        break;
    case 21 ... 26:
        (void)snprintf(line, 64, "fault f%u %s", below(MODEL_FAULTS), below(2) ? "on" : "off");
        break;
    case 27 ... 30:
        (void)snprintf(line, 64, "start");
        break;
    case 31 ... 33:
        (void)snprintf(line, 64, below(3) ? "take" : "release");
        break;
    case 34:
        (void)snprintf(line, 64, below(8) ? "status" : "stop");
        break;
    case 35:
        if (below(12) == 0)
            (void)snprintf(line, 64, below(3) ? "set rear_bar %u" : "scenario step_steer",
                           1 + below(4));
        else
            (void)snprintf(line, 64, "status");
        break;
    default:
        (void)snprintf(line, 64, "status");
        break;
    }
}

static void page_message(int page_target, int64_t id, const char *line, char *json, size_t size)
{
    char first[16] = "", second[32] = "", third[32] = "", rest[128] = "";
    (void)sscanf(line, "%15s %31s %31s", first, second, third);
    const char *command = strcmp(first, "safe") == 0   ? "stop"
                          : strcmp(first, "stop") == 0 ? "end"
                          : strcmp(first, "set") == 0  ? "setup"
                                                       : first;
    if (strcmp(first, "reset") == 0)
        (void)snprintf(rest, sizeof rest, ",\"safe\":%s", second);
    if (strcmp(first, "fault") == 0)
        (void)snprintf(rest, sizeof rest, ",\"fault\":\"%s\",\"on\":%s", second,
                       strcmp(third, "on") == 0 ? "true" : "false");
    if (strcmp(first, "set") == 0)
        (void)snprintf(rest, sizeof rest, ",\"name\":\"%s\",\"value\":%s", second, third);
    if (strcmp(first, "scenario") == 0)
        (void)snprintf(rest, sizeof rest, ",\"scenario\":\"%s\"", second);
    (void)snprintf(json, size,
                   "{\"type\":\"command\",\"id\":%" PRId64 ",\"target\":%d,\"command\":\"%s\"%s}",
                   id, page_target, command, rest);
}

static void ask_something(struct bed *b)
{
    int source = (int)below(SOURCES);
    char line[64], text[512];
    const struct host_target *t = target(b);
    some_line(b, line);
    if (source < SOCKETS) {
        int tag = new_due(b, source, 0);
        (void)snprintf(text, sizeof text, "%s%s", source == 0 ? "@anna " : "", line);
        assert_true(send(b->client[source], text, strlen(text), MSG_DONTWAIT) > 0);
        b->line_tag[b->lines] = tag;
        (void)snprintf(b->line[b->lines++], sizeof b->line[0], "%s", line);
        return;
    }
    if (!t || !t->session.made || strcmp(line, "status") == 0)
        return; /* pages have the status of the telemetry */
    (void)new_due(b, source, ++b->ids);
    page_message(t->id, b->ids, line, text, sizeof text);
    assert_true(page_take(&b->pages.page[source - SOCKETS], text, strlen(text)));
}

/* One interleaving: a few requests, with rounds of the servers at random in between. */
static void burst(struct bed *b)
{
    b->bursts++;
    b->bursts_left--;
    for (unsigned n = 2 + below(5); n > 0; n--) {
        ask_something(b);
        if (below(3) == 0)
            socket_round(b);
        if (below(3) == 0)
            host_and_publish_round(b);
    }
    if (below(2))
        socket_round(b);
    if (below(2))
        host_and_publish_round(b);
    forget_given_up(b);
}

/* ---- after a tick */

static void check_state(const struct bed *b)
{
    const struct loop *l = &b->loop;
    const struct request_model *m = &b->model;
    assert_int_equal(l->cause != CAUSE_NONE, m->safe);
    assert_int_equal(l->safe_number, m->safe_number);
    assert_int_equal(l->fault_state.by_hand, m->faults);
    assert_int_equal(atomic_load(&l->stop), m->ends);
    assert_true(l->car->vehicle->setup.value[SETUP_rear_bar] == m->rear_bar);
    if (m->safe)
        assert_int_equal(l->cause, m->by_person ? CAUSE_OPERATOR : CAUSE_SILENT);
}

/* Every number once, in order, as often done and refused as answered so; its text names the one
 * who asked. */
static void check_events(struct bed *b)
{
    struct loop_event e;
    char text[MODEL_TEXT];
    int compared = 0;
    while (ring_pop(&b->loop.events, &e, 1) == 1) {
        if (e.kind != EVENT_REQUEST)
            continue;
        struct request_done d = request_of_event(e.value);
        assert_int_equal(d.number, ++b->numbers);
        request_event_text(&b->loop.requests, e.value, text, sizeof text);
        assert_true(compared < b->model.event_count);
        assert_string_equal(text, b->model.event[compared++]);
        b->events++;
        if (d.result == REQUEST_DONE)
            b->model.carried_out--;
        else
            b->model.refused--;
    }
    assert_int_equal(b->model.carried_out, 0);
    assert_int_equal(b->model.refused, 0);
    assert_int_equal(compared, b->model.event_count);
    b->model.event_count = 0;
}

/* Before each tick: what came of the last one, then new requests. */
static void between_ticks(void *argument)
{
    struct bed *b = argument;
    struct loop_record r;
    while (ring_pop(&b->loop.records, &r, 1) == 1)
        ;
    if (b->loop.tick > 0 || b->model.phase == MODEL_WAITS) {
        check_state(b);
        check_events(b);
        all_rounds(b);
    }
    clock_ns += PERIOD_NS;
    if (below(200) == 0) { /* leases end */
        clock_ns += 4 * NS_PER_S + (int64_t)below(8000) * NS_PER_MS;
        publish_once(b); /* else the host would take the target for lost */
        host_once(b);
    }
    if (b->bursts_left > 0 && below(2))
        burst(b);
    else if (b->bursts_left <= 0 && below(4) == 0)
        atomic_store(&b->loop.stop, b->model.ends = true); /* as a signal does */
    if (below(50) == 0 && b->model.phase == MODEL_DRIVES) {
        loop_enter_safe(&b->loop, CAUSE_SILENT);
        model_trips(&b->model);
    }
    model_tick(&b->model, b->model.phase == MODEL_WAITS ? -1 : b->loop.tick, expected, b);
}

/* ---- runs */

static void bed_open(struct bed *b)
{
    struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    struct err e = {""};
    assert_int_equal(offline_open("config/scenarios/brake_in_turn.yaml", &options, &b->car), 0);
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/skidpad-requests-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    (void)snprintf(b->key_path, sizeof b->key_path, "%s/key", b->folder);
    (void)snprintf(b->socket_path, sizeof b->socket_path, "%s/run.sock", b->folder);
    assert_int_equal(seal_key_make(b->key_path, &e), 0);
    b->faults.count = MODEL_FAULTS;
    for (int i = 0; i < MODEL_FAULTS; i++) {
        b->faults.fault[i] = (struct fault){
            .kind = FAULT_OFFSET, .sensor = FAULT_YAW_RATE, .amount = 0.01, .start_s = -1.0};
        (void)snprintf(b->faults.fault[i].name, FAULT_NAME, "f%d", i);
    }
    (void)pthread_mutex_init(&b->serve.lock, NULL);
    serve_list_of("config/scenarios/brake_in_turn.yaml", &b->serve.list);
    const struct host_setup setup = {
        .listen = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}},
        .key_path = b->key_path};
    assert_int_equal(host_open(&b->host, &setup, &e), 0);
    struct sockaddr_in at = {0};
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(b->host.socket, (struct sockaddr *)&at, &size), 0);
    b->host_port = ntohs(at.sin_port);
    b->host.reply = on_reply;
    b->host.is_open = is_open;
    b->host.reply_self = b;
    b->pages.host = &b->host;
    for (int i = 0; i < SOURCES - SOCKETS; i++) {
        b->pages.page[i].all = &b->pages;
        b->pages.page[i].number = (uint32_t)i + 1;
        (void)pthread_mutex_init(&b->pages.page[i].lock, NULL);
    }
}

static void bed_close(struct bed *b)
{
    host_finish(&b->host);
    offline_close(&b->car);
    (void)unlink(b->key_path);
    (void)rmdir(b->folder);
    free(b);
}

static void connect_clients(struct bed *b)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX}, own = {.sun_family = AF_UNIX};
    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", b->socket_path);
    for (int i = 0; i < SOCKETS; i++) {
        b->client[i] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(b->client[i], (struct sockaddr *)&own, sizeof(sa_family_t)), 0);
        assert_int_equal(connect(b->client[i], (struct sockaddr *)&to, sizeof to), 0);
    }
}

static void run_open(struct bed *b)
{
    struct err e = {""};
    memset(&b->loop, 0, sizeof b->loop);
    b->rt = (struct rt){.ops = &rt_virtual, .pace = between_ticks, .pace_argument = b};
    b->loop.rt = &b->rt;
    b->loop.car = &b->car;
    b->loop.faults = &b->faults;
    b->loop.setup = (struct loop_setup){.period_ns = PERIOD_NS, .deadline_ns = PERIOD_NS};
    assert_int_equal(loop_rings_init(&b->loop, 0.1), 0);
    atomic_store(&b->loop.waiting, true);
    b->serve.next.scenario[0] = '\0';
    assert_int_equal(commands_open(&b->commands, &b->loop, &b->serve, false, &e), 0);
    assert_int_equal(control_open(&b->control, &b->commands, b->socket_path, &e), 0);
    const struct publish_setup setup = {
        .name = "a bench",
        .host = "127.0.0.1",
        .port = b->host_port,
        .listen_host = "",
        .key = b->key_path,
        .log = "",
        .commands = &b->commands,
        .source = {.about = {.scenario = "", .vehicle = "", .core = "virtual", .core_about = ""},
                   .bench_name = "a bench"}};
    if (publish_open(&b->publish, &b->loop, &setup, &e))
        fail_msg("%s", e.text);
    connect_clients(b);
    double rear_bar = b->car.vehicle->setup.value[SETUP_rear_bar];
    model_begin(&b->model);
    b->model.rear_bar = rear_bar;
    b->sent = b->taken = b->numbers = 0;
    b->bursts_left = BURSTS_A_RUN;
    /* The host finds the run, and they make a session. */
    for (int i = 0; i < 100 && !(target(b) && target(b)->session.made); i++) {
        publish_round(&b->publish);
        host_round(&b->host);
        clock_ns += 50 * NS_PER_MS;
    }
    assert_non_null(target(b));
    assert_true(target(b)->session.made);
}

static bool is_all_answered(struct bed *b)
{
    for (int i = 0; i < WAITS; i++)
        if (b->due[i].used)
            return false;
    return b->host.queued == 0;
}

static void run_close(struct bed *b)
{
    check_state(b);
    check_events(b);
    requests_close(&b->loop.requests);
    model_close(&b->model, expected, b);
    for (int i = 0; i < 2000 && !is_all_answered(b); i++) {
        all_rounds(b);
        clock_ns += PERIOD_NS;
    }
    for (int i = 0; i < WAITS; i++)
        if (b->due[i].used)
            fail_msg("source %d has no answer: \"%s\"", b->due[i].source, b->due[i].text);
    assert_int_equal(b->serve.next.scenario[0] != '\0', b->model.scenario[0] != '\0');
    assert_true(b->commands.tune.now.value[SETUP_rear_bar] == b->model.rear_bar);
    for (int i = 0; i < SOCKETS; i++)
        (void)close(b->client[i]);
    control_close(&b->control);
    publish_finish(&b->publish);
    commands_close(&b->commands);
    loop_rings_free(&b->loop);
    clock_ns += 20 * NS_PER_S; /* the host takes the place of this run for the next one */
}

/* Until a start, or the end. */
static void wait_for_start(struct bed *b)
{
    for (;;) {
        between_ticks(b);
        bool go = loop_may_begin(&b->loop);
        assert_int_equal(go, b->model.begins || b->model.ends);
        if (!go)
            continue;
        atomic_store(&b->loop.waiting, false);
        b->model.phase = MODEL_DRIVES;
        check_state(b);
        check_events(b);
        return;
    }
}

static void every_answer_is_what_the_model_says(void **state)
{
    (void)state;
    const char *seed = getenv("REQUESTS_SEED"), *count = getenv("REQUESTS_BURSTS");
    long bursts = count ? strtol(count, NULL, 10) : 100000;
    int runs = 0;
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    bed = calloc(1, sizeof *bed);
    assert_non_null(bed);
    bed_open(bed);
    for (; bed->bursts < bursts; runs++) {
        run_open(bed);
        wait_for_start(bed);
        loop_run(&bed->loop);
        run_close(bed);
    }
    print_message("%d interleavings in %d runs: %" PRIu64 " answers, %" PRIu64
                  " requests in the events, %" PRIu64 " overtaken by a stop\n",
                  bed->bursts, runs, bed->answers, bed->events, bed->overtaken);
    bed_close(bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_what_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
