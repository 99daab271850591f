#include "host/pages.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who may come in */

/* An address in digits, or "localhost": a name that somebody else gave this machine's address is
 * not ours, whatever it resolves to. */
static bool is_own_name(const struct pages *p, const char *name)
{
    char host[64], port[16];
    struct in_addr address;
    const char *colon = strrchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    (void)snprintf(port, sizeof port, "%d", p->setup.port);
    /* Browsers leave out the port that http has anyway. */
    if (strcmp(colon ? colon + 1 : "80", port) != 0 || length >= sizeof host)
        return false;
    (void)snprintf(host, sizeof host, "%.*s", (int)length, name);
    return strcmp(host, "localhost") == 0 || inet_pton(AF_INET, host, &address) == 1;
}

bool pages_host_is_own(const struct pages *p, const struct mg_connection *c)
{
    const char *host = mg_get_header(c, "Host");
    return host && is_own_name(p, host);
}

bool pages_origin_is_own(const struct pages *p, const struct mg_connection *c)
{
    const char *origin = mg_get_header(c, "Origin"), *host = mg_get_header(c, "Host");
    return origin && host && strncmp(origin, "http://", 7) == 0 && is_own_name(p, host) &&
           strcmp(origin + 7, host) == 0;
}

static bool token_is_right(const struct pages *p, const struct mg_request_info *r)
{
    char token[PAGE_TOKEN + 1] = "";
    const char *query = r->query_string;
    if (!query || mg_get_var(query, strlen(query), "token", token, sizeof token) != PAGE_TOKEN - 1)
        return false;
    return sodium_memcmp(token, p->setup.token, PAGE_TOKEN - 1) == 0;
}

int pages_refuse(struct pages *p, struct mg_connection *c, int status, const char *why)
{
    atomic_fetch_add(&p->refused, 1);
    (void)mg_printf(c,
                    "HTTP/1.1 %d Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
                    "Content-Length: %zu\r\nX-Content-Type-Options: nosniff\r\n"
                    "Connection: close\r\n\r\n%s\n",
                    status, strlen(why) + 1, why);
    return status;
}

/* ---- WebSockets */

static struct page *page_place(struct pages *p)
{
    struct page *found = NULL;
    (void)pthread_mutex_lock(&p->lock);
    for (int i = 0; i < PAGES && !found; i++)
        if (p->page[i].number == 0) {
            found = &p->page[i];
            found->number = ++p->numbers;
        }
    (void)pthread_mutex_unlock(&p->lock);
    return found;
}

/* Answers come from another thread, by the number of the page: none may come in between. */
static void page_clear(struct page *g)
{
    struct pages *p = g->all;
    (void)pthread_mutex_lock(&p->lock);
    for (int i = 0; i < PAGE_STREAMS; i++) {
        free(g->stream[i].name);
        g->stream[i] = (struct page_stream){.target = -1};
    }
    free(g->memory);
    g->memory = NULL;
    g->replies = 0;
    g->pong.wanted = g->greeted = g->started = false;
    memset(g->described, 0, sizeof g->described);
    memset(g->events, 0, sizeof g->events);
    memset(g->event_run, 0, sizeof g->event_run);
    g->status_due_ns = 0;
    atomic_store(&g->finish, false);
    atomic_store(&g->over, false);
    g->number = 0;
    (void)pthread_mutex_unlock(&p->lock);
}

/* 0: let in. */
static int on_connect(const struct mg_connection *c, void *self)
{
    struct pages *p = self;
    struct mg_connection *out = (struct mg_connection *)c;
    if (!pages_origin_is_own(p, c))
        return pages_refuse(p, out, 403, "This page is of another origin.");
    if (!token_is_right(p, mg_get_request_info(c)))
        return pages_refuse(p, out, 403, "The token is wrong: open the URL that the host printed.");
    struct page *g = page_place(p);
    if (!g)
        return pages_refuse(p, out, 503, "Too many pages are open.");
    g->connection = out;
    mg_set_user_connection_data(c, g);
    return 0;
}

static void on_ready(struct mg_connection *c, void *self)
{
    struct page *g = mg_get_user_connection_data(c);
    (void)self;
    if (g)
        g->started = pthread_create(&g->thread, NULL, page_send_thread, g) == 0;
}

static int on_data(struct mg_connection *c, int bits, char *data, size_t bytes, void *self)
{
    struct page *g = mg_get_user_connection_data(c);
    int opcode = bits & 0xf;
    (void)self;
    /* A page that was not read from for so long that sending failed shall connect anew. */
    if (!g || opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE || atomic_load(&g->over))
        return 0;
    if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG)
        return 1;
    /* Whole texts only. */
    return opcode == MG_WEBSOCKET_OPCODE_TEXT && (bits & 0x80) && bytes <= PAGE_MESSAGE &&
           page_take(g, data, bytes);
}

static void on_close(const struct mg_connection *c, void *self)
{
    struct page *g = mg_get_user_connection_data(c);
    (void)self;
    if (!g)
        return;
    atomic_store(&g->finish, true);
    if (g->started)
        (void)pthread_join(g->thread, NULL);
    page_clear(g);
}

static void on_reply(void *self, const struct host_command *command, bool ok, const char *text)
{
    struct pages *p = self;
    (void)pthread_mutex_lock(&p->lock);
    for (int i = 0; i < PAGES; i++)
        if (p->page[i].number == command->page)
            page_reply(&p->page[i], command->id, ok, text);
    (void)pthread_mutex_unlock(&p->lock);
}

/* ---- start and end */

static int on_log(const struct mg_connection *c, const char *message)
{
    (void)c;
    (void)message;
    return 1; /* what goes wrong with strangers' requests is theirs */
}

int pages_start(struct pages *p, struct host *h, const struct pages_setup *setup, struct err *e)
{
    static const char *protocols[] = {"skidpad.1"};
    static struct mg_websocket_subprotocols known = {1, protocols};
    char at[80];
    const char *options[] = {"listening_ports",
                             at,
                             "num_threads",
                             "24",
                             "request_timeout_ms",
                             "5000",
                             "websocket_timeout_ms",
                             "3600000",
                             "enable_directory_listing",
                             "no",
                             "enable_keep_alive",
                             "yes",
                             "keep_alive_timeout_ms",
                             "500",
                             "tcp_nodelay",
                             "1",
                             NULL};
    const struct mg_callbacks callbacks = {.log_message = on_log};
    p->host = h;
    p->setup = *setup;
    h->reply = on_reply;
    h->reply_self = p;
    (void)pthread_mutex_init(&p->lock, NULL);
    for (int i = 0; i < PAGES; i++) {
        p->page[i].all = p;
        (void)pthread_mutex_init(&p->page[i].lock, NULL);
        for (int k = 0; k < PAGE_STREAMS; k++)
            p->page[i].stream[k].target = -1;
    }
    (void)snprintf(at, sizeof at, "%s:%d", setup->address, setup->port);
    (void)mg_init_library(0);
    errno = 0;
    p->server = mg_start(&callbacks, p, options);
    if (!p->server)
        return err_set(e, errno ? -errno : -EADDRINUSE,
                       "cannot serve pages at %s: %s; --port N takes another port", at,
                       errno ? strerror(errno) : "the port is taken");
    mg_set_request_handler(p->server, "/", pages_serve_file, p);
    mg_set_websocket_handler_with_subprotocols(p->server, "/ws", &known, on_connect, on_ready,
                                               on_data, on_close, p);
    return 0;
}

void pages_finish(struct pages *p)
{
    for (int i = 0; i < PAGES; i++)
        atomic_store(&p->page[i].finish, true);
    if (p->server)
        mg_stop(p->server);
    p->server = NULL;
    (void)mg_exit_library();
}
