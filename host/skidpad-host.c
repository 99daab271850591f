/* skidpad host: the person's side of the bench. */
#include "host/pages.h"
#include "shared/base/console.h"
#include "shared/base/folders.h"
#include "shared/base/io.h"
#include "shared/base/options.h"
#include "shared/base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_NOT_RECORDED = 1, STATUS_BAD = 2, MAPPED_BYTES = 1 << 17 };
static const int console_ms = 1000; /* for what is still to be said */

/* ADDRESS:PORT in digits. */
static bool address_of(const char *text, struct sockaddr_in *at)
{
    char host[64], *end = NULL;
    const char *colon = strrchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof host)
        return false;
    (void)snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
    long port = strtol(colon + 1, &end, 10);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return end != colon + 1 && *end == '\0' && port > 0 && port <= 65535 &&
           inet_pton(AF_INET, host, &at->sin_addr) == 1;
}

/* One of 127.0.0.0/8. */
static bool is_here(const struct sockaddr_in *at)
{
    return ntohl(at->sin_addr.s_addr) >> 24 == 127;
}

static int targets_of(struct options *o, struct host_setup *setup)
{
    char list[1024], *rest = NULL;
    (void)snprintf(list, sizeof list, "%s",
                   options_text(o, "target") ? options_text(o, "target") : "");
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        if (setup->targets == HOST_TARGETS)
            return options_complain(o, "at most %d targets", HOST_TARGETS);
        if (!address_of(one, &setup->target[setup->targets++]))
            return options_complain(o, "%s: a target is ADDRESS:PORT, e.g. 192.168.1.2:49151", one);
        if (is_here(&setup->listen) && !is_here(&setup->target[setup->targets - 1]))
            return options_complain(o,
                                    "%s: is not on this machine, but --listen %s is for this one "
                                    "alone; give --listen an address of the target's network",
                                    one, options_text(o, "listen"));
    }
    return 0;
}

/* The key that is named, else the usual one, which is made if it is not there. */
static int choose_key(struct options *o, char *path, size_t size)
{
    struct err e = {""};
    const char *named = options_text(o, "key");
    if (named) {
        options_copy_path(o, "--key", named, path, size);
        return options_ok(o) ? 0 : OPTIONS_USAGE;
    }
    if (!seal_key_default(path, size)) {
        path[0] = '\0';
        fprintf(stderr, "skidpad host: no place for a key: nothing can be commanded, and targets "
                        "that have one are refused\n");
    } else if (access(path, F_OK) != 0 && seal_key_make(path, &e)) {
        fprintf(stderr, "skidpad host: %s: nothing can be commanded\n", e.text);
        path[0] = '\0';
    }
    return 0;
}

/* Now, not when a run begins. */
static int check_record(struct options *o, const char *folder)
{
    char inside[HOST_PATH];
    if (!folder)
        return 0;
    if (snprintf(inside, sizeof inside, "%s/", folder) >= (int)sizeof inside)
        return options_complain(o, "--record: the name of the folder is too long");
    folders_make(inside);
    if (access(inside, W_OK | X_OK))
        return options_complain(o, "--record %s: %s", folder, strerror(errno));
    return 0;
}

static int choose_token(struct options *o, char token[PAGE_TOKEN])
{
    unsigned char random[PAGE_TOKEN / 2];
    const char *path = options_text(o, "token");
    if (!path) {
        seal_random(random, sizeof random);
        for (size_t i = 0; i < sizeof random; i++)
            (void)snprintf(token + 2 * i, 3, "%02x", random[i]);
        return 0;
    }
    struct err e = {""};
    char text[PAGE_TOKEN + 1] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return options_complain(o, "--token %s: %s", path, strerror(errno));
    int bad = seal_file_check(fd, path, &e);
    ssize_t n = bad ? 0 : io_read(fd, text, sizeof text);
    (void)close(fd);
    if (bad)
        return options_complain(o, "--token %s", e.text);
    bool whole = n == PAGE_TOKEN - 1 || (n == PAGE_TOKEN && text[PAGE_TOKEN - 1] == '\n');
    (void)snprintf(token, PAGE_TOKEN, "%.*s", PAGE_TOKEN - 1, text);
    if (!whole || strspn(token, "0123456789abcdef") != PAGE_TOKEN - 1)
        return options_complain(o, "%s: a token is %d hexadecimal digits", path, PAGE_TOKEN - 1);
    return 0;
}

static const char *choose_folder(const struct options *o)
{
    const char *named = options_text(o, "web"), *usual = getenv("SKIDPAD_WEB_DIR");
    return named ? named : usual ? usual : "host/web/dist";
}

static double cpu_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_summary(struct host *h, const struct pages *p, double wall_s)
{
    for (int i = 0; i < HOST_TARGETS; i++) {
        const struct host_target *t = &h->target[i];
        if (!atomic_load(&t->used))
            continue;
        printf("target %d   %s, run %016" PRIx64 ": %" PRIu64 " packets, %" PRIu64 " lost, %" PRIu64
               " records late, %" PRIu64 " filled, %" PRIu64 " duplicates, %" PRIu64 " missing\n",
               i, t->name, t->run, t->packets, t->packets_lost, t->late, t->filled, t->duplicates,
               t->missing);
        if (t->recording[0])
            printf("recorded   %s%s\n", t->recording, t->incomplete ? ", NOT COMPLETE" : "");
        else if (t->incomplete)
            printf("recorded   NOTHING: %s\n", t->problem);
        if (t->has_clock)
            printf("clock      %.6f s ahead of the target's, round trip %.6f s\n",
                   1e-9 * (double)t->clock_offset_ns, 1e-9 * (double)t->round_trip_ns);
    }
    printf("strangers  %llu packets not ours, %llu of another version, %llu broken\n",
           atomic_load(&h->strange), atomic_load(&h->other_version), atomic_load(&h->broken));
    for (int i = 0; i < HOST_REFUSALS; i++)
        if (h->refused[i].told_ns > 0)
            printf("refused    %" PRIu64 " packets, last: %s %s\n", h->refused[i].count,
                   h->refused[i].who, host_refusal_text((enum host_refusal)i));
    if (atomic_load(&p->refused) > 0)
        printf("pages      %llu requests refused\n", atomic_load(&p->refused));
    printf("cpu        %.2f s in %.1f s\n", cpu_s(), wall_s);
}

/* The last line: whether all that was to be recorded is. Returns the status of the program. */
static int print_result(const struct host *h, bool quiet)
{
    if (h->incomplete > 0 || (h->setup.record && h->crowded_runs > 0)) {
        fprintf(quiet ? stderr : stdout,
                "result     NOT COMPLETE: %" PRIu64 " of %" PRIu64 " recordings%s%s; %d runs found "
                "no place\n",
                h->incomplete, h->recordings, h->incomplete ? ", the last " : "", h->loss,
                h->crowded_runs);
        return STATUS_NOT_RECORDED;
    }
    bool refused = false;
    for (int i = 0; i < HOST_REFUSALS; i++)
        refused = refused || h->refused[i].told_ns > 0;
    if (h->setup.record && h->recordings == 0 && refused) {
        fprintf(quiet ? stderr : stdout, "result     NOTHING was recorded: who sent was refused\n");
        return STATUS_NOT_RECORDED;
    }
    unsigned long long other = atomic_load(&h->other_version), broken = atomic_load(&h->broken);
    if (h->setup.record && h->recordings == 0 && other + broken > 0) {
        fprintf(quiet ? stderr : stdout,
                "result     NOTHING was recorded: who sent was refused, %llu packets of another "
                "version and %llu broken\n",
                other, broken);
        return STATUS_NOT_RECORDED;
    }
    if (quiet)
        return 0;
    if (!h->setup.record)
        printf("result     nothing was to be recorded\n");
    else if (h->recordings == 0)
        printf("result     nothing was recorded: no target came\n");
    else
        printf("result     %" PRIu64 " of %" PRIu64 " recordings complete\n", h->recordings,
               h->recordings);
    return 0;
}

/* Until SIGINT, SIGTERM, SIGHUP, or a time. */
static void wait_for_end(double seconds)
{
    sigset_t set;
    int64_t end_ns = host_now_ns() + (int64_t)(seconds * 1e9);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    for (;;) {
        int64_t left_ns = seconds > 0.0 ? end_ns - host_now_ns() : NS_PER_S;
        if (left_ns <= 0)
            return;
        const struct timespec wait = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
        if (sigtimedwait(&set, NULL, &wait) > 0)
            return;
    }
}

static void block_signals(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigaddset(&set, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* What a run needed goes back to the system when it is over, instead of staying with the arenas of
 * threads: large pieces are mapped each for itself, and few threads allocate at once. */
static void keep_memory_small(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, MAPPED_BYTES);
    (void)mallopt(M_ARENA_MAX, 2);
}

static int run(const struct host_setup *setup, const struct pages_setup *web, double seconds,
               bool quiet)
{
    static struct host host; /* large: not for the stack */
    static struct pages pages;
    struct err e = {""};
    int64_t begin_ns = host_now_ns();
    int status = STATUS_BAD;
    keep_memory_small();
    block_signals();
    if (console_start(&e)) {
        fprintf(stderr, "skidpad host: %s\n", e.text);
        return STATUS_BAD;
    }
    int bad = web->port > 0 ? pages_start(&pages, &host, web, &e) : 0;
    if (!bad)
        bad = host_start(&host, setup, &e);
    if (bad) {
        console_say("skidpad host: %s\n", e.text);
        console_stop(console_ms);
    } else {
        char listen[INET_ADDRSTRLEN] = "";
        (void)inet_ntop(AF_INET, &setup->listen.sin_addr, listen, sizeof listen);
        printf("telemetry  %s:%d%s\n", listen, ntohs(setup->listen.sin_port),
               setup->record ? "" : ", not recorded (--record DIR)");
        if (web->port > 0 && !pages_are_built(web))
            console_say("skidpad host: the page is not built: no index.html in %s; `make web` "
                        "builds it, meanwhile the address below says so\n",
                        web->folder);
        if (web->port > 0)
            printf("page       http://%s:%d/?token=%s\n",
                   strcmp(web->address, "0.0.0.0") == 0 ? "127.0.0.1" : web->address, web->port,
                   web->token);
        (void)fflush(stdout);
        wait_for_end(seconds);
    }
    pages_finish(&pages);
    if (host.started) {
        host_stop(&host);
        console_stop(console_ms); /* before the summary, so that it comes last */
        if (!quiet)
            print_summary(&host, &pages, 1e-9 * (double)(host_now_ns() - begin_ns));
        status = print_result(&host, quiet);
        (void)fflush(stdout);
        host_finish(&host);
    }
    return status;
}

static int new_key(const char *path)
{
    struct err e = {""};
    if (seal_key_make(path, &e)) {
        fprintf(stderr, "skidpad host: %s\n", e.text);
        return STATUS_BAD;
    }
    printf("%s: a new key; copy it to the target, readable by its owner only\n", path);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"target", "ADDR:PORT,...", NULL, "targets to ask for their telemetry"},
        {"listen", "ADDR:PORT", "127.0.0.1:49150", "where targets send their telemetry"},
        {"record", "DIR", NULL, "record every run there, as MDF 4.1"},
        {"port", "N", "8642", "of the page; 0: none"},
        {"http", "ADDR", "127.0.0.1", "where the page is served; 0.0.0.0: to everybody"},
        {"web", "DIR", "(built page)", "files of the page"},
        {"key", "FILE", "(the user's)", "key that targets know, for commands"},
        {"new-key", "FILE", NULL, "make a key and end"},
        {"accept-unsealed", NULL, NULL, "targets without the key, too: anybody can be one"},
        {"token", "FILE", "(random)", "32 hexadecimal digits for the page's URL"},
        {"for", "SECONDS", "0", "stop after this time; 0: at Ctrl-C"},
        {"quiet", NULL, NULL, "only the first lines"},
        {0},
    };
    static const struct options_program program = {
        .name = "host",
        .summary = "record targets, command them, and show them in a browser",
        .specs = specs,
        .example = "skidpad host --record out/host --for 1",
        .notes =
            "Targets whose bench file has `telemetry: {to: ...}` send by themselves; those with "
            "`listen:` are\nnamed here, and need the key. Everything is for this machine alone "
            "unless an address says\notherwise. Status: 0 done, 1 a recording is not complete, 2 "
            "bad input.",
    };
    struct options o;
    struct host_setup setup = {0};
    struct pages_setup web = {0};
    char key[HOST_PATH] = "";
    int64_t port = 8642;
    double seconds = 0.0;
    struct in_addr http;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (options_text(&o, "new-key"))
        return new_key(options_text(&o, "new-key"));
    options_int(&o, "port", &port, 0, 65535);
    options_double(&o, "for", &seconds, 0.0, 1e9);
    if (!options_ok(&o))
        return STATUS_BAD;
    if (!address_of(options_text(&o, "listen"), &setup.listen))
        return options_complain(&o, "--listen must be ADDRESS:PORT, e.g. 127.0.0.1:49150");
    web.address = options_text(&o, "http");
    if (inet_pton(AF_INET, web.address, &http) != 1)
        return options_complain(&o, "--http %s is no IPv4 address", web.address);
    web.port = (int)port;
    web.folder = choose_folder(&o);
    setup.record = options_text(&o, "record");
    setup.key_path = key;
    setup.accept_unsealed = options_given(&o, "accept-unsealed");
    setup.verbose = !options_given(&o, "quiet");
    status = targets_of(&o, &setup);
    if (!status)
        status = check_record(&o, setup.record);
    if (!status)
        status = choose_token(&o, web.token);
    if (!status)
        status = choose_key(&o, key, sizeof key);
    return status ? status : run(&setup, &web, seconds, options_given(&o, "quiet"));
}
