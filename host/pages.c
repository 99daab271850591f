#include "host/pages.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const char protocol[] = "skidpad.1";

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

bool pages_host_is_own(const struct pages *p, const struct web_connection *c)
{
    const char *host = web_field(&c->request, "Host");
    return host && is_own_name(p, host);
}

static bool origin_is_own(const struct pages *p, const struct web_connection *c)
{
    const char *origin = web_field(&c->request, "Origin"), *host = web_field(&c->request, "Host");
    return origin && host && strncmp(origin, "http://", 7) == 0 && is_own_name(p, host) &&
           strcmp(origin + 7, host) == 0;
}

/* The query is token=HEX. */
static bool token_is_right(const struct pages *p, const char *query)
{
    return strlen(query) == 6 + PAGE_TOKEN - 1 && strncmp(query, "token=", 6) == 0 &&
           sodium_memcmp(query + 6, p->setup.token, PAGE_TOKEN - 1) == 0;
}

void pages_refuse(struct pages *p, struct web_connection *c, int status, const char *why)
{
    atomic_fetch_add(&p->refused, 1);
    (void)web_printf(c,
                     "HTTP/1.1 %d Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
                     "Content-Length: %zu\r\nX-Content-Type-Options: nosniff\r\n"
                     "Connection: close\r\n\r\n%s\n",
                     status, strlen(why) + 1, why);
}

/* ---- places */

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
    g->pong.wanted = g->greeted = g->started = g->echo_wanted = false;
    g->reader.have = g->reader.taken = 0;
    g->pings = 0;
    g->ping_due_ns = 0;
    memset(g->described, 0, sizeof g->described);
    memset(g->events, 0, sizeof g->events);
    memset(g->event_run, 0, sizeof g->event_run);
    g->status_due_ns = 0;
    atomic_store(&g->finish, false);
    g->number = 0;
    (void)pthread_mutex_unlock(&p->lock);
}

/* ---- what pages send */

/* One of the last pings: the page has read up to there. */
static void take_pong(struct page *g, const struct websocket_frame *f)
{
    (void)pthread_mutex_lock(&g->lock);
    for (uint64_t i = 0; i < PAGE_PINGS && i < g->pings; i++)
        if (f->count == PAGE_PING && memcmp(g->ping[i], f->bytes, PAGE_PING) == 0)
            g->alive_ns = host_now_ns();
    (void)pthread_mutex_unlock(&g->lock);
}

static void take_ping(struct page *g, const struct websocket_frame *f)
{
    (void)pthread_mutex_lock(&g->lock);
    memcpy(g->echo, f->bytes, f->count);
    g->echo_bytes = f->count;
    g->echo_wanted = true;
    (void)pthread_mutex_unlock(&g->lock);
}

/* False: the connection ends. */
static bool take_frame(struct page *g, const struct websocket_frame *f)
{
    if (f->opcode == WEBSOCKET_PONG)
        take_pong(g, f);
    else if (f->opcode == WEBSOCKET_PING)
        take_ping(g, f);
    else
        return f->opcode == WEBSOCKET_TEXT && page_take(g, f->bytes, f->count);
    return true;
}

/* Until the page ends the connection, sends what no page sends, or its sender has given it up. */
static void read_page(struct page *g, const struct web_connection *c)
{
    struct websocket_frame f;
    size_t room;
    memcpy(websocket_room(&g->reader, &room), c->head + c->head_bytes, c->have - c->head_bytes);
    websocket_came(&g->reader, c->have - c->head_bytes);
    for (;;) {
        enum websocket_verdict verdict;
        while ((verdict = websocket_next(&g->reader, &f)) == WEBSOCKET_FRAME)
            if (!take_frame(g, &f))
                return;
        if (verdict == WEBSOCKET_BAD)
            return;
        struct pollfd at = {.fd = c->fd, .events = POLLIN};
        (void)poll(&at, 1, -1);
        unsigned char *to = websocket_room(&g->reader, &room);
        ssize_t n = recv(c->fd, to, room, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return;
        websocket_came(&g->reader, n > 0 ? (size_t)n : 0);
    }
}

/* ---- a page */

/* Says what is wrong with a request for a WebSocket; NULL: nothing. */
static const char *find_fault(const struct pages *p, const struct web_connection *c, int *status)
{
    const struct web_request *r = &c->request;
    const char *version = web_field(r, "Sec-WebSocket-Version");
    *status = 403;
    if (!origin_is_own(p, c))
        return "This page is of another origin.";
    if (!token_is_right(p, r->query))
        return "The token is wrong: open the URL that the host printed.";
    *status = 400;
    if (strcmp(r->method, "GET") != 0 ||
        !web_list_has(web_field(r, "Upgrade"), "websocket", true) ||
        !web_list_has(web_field(r, "Connection"), "upgrade", true) || !version ||
        strcmp(version, "13") != 0)
        return "This is for WebSockets of version 13.";
    if (!web_list_has(web_field(r, "Sec-WebSocket-Protocol"), protocol, false))
        return "The page speaks another protocol than this host: reload it.";
    return NULL;
}

static void end_page(struct page *g)
{
    static const unsigned char close_frame[] = {0x80 | WEBSOCKET_CLOSE, 0};
    atomic_store(&g->finish, true);
    if (g->started)
        (void)pthread_join(g->thread, NULL);
    (void)send(g->connection->fd, close_frame, sizeof close_frame, MSG_NOSIGNAL);
    page_clear(g);
}

static void serve_page(struct pages *p, struct web_connection *c)
{
    char accept[WEBSOCKET_ACCEPT];
    const char *key = web_field(&c->request, "Sec-WebSocket-Key");
    int status = 400;
    const char *fault = find_fault(p, c, &status);
    if (!fault && (!key || !websocket_accept(key, accept)))
        fault = "This is for WebSockets of version 13.";
    if (fault) {
        pages_refuse(p, c, status, fault);
        return;
    }
    struct page *g = page_place(p);
    if (!g) {
        pages_refuse(p, c, 503, "Too many pages are open.");
        return;
    }
    atomic_store(&c->kept, true);
    g->connection = c;
    g->alive_ns = host_now_ns();
    if (web_printf(c,
                   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
                   "Sec-WebSocket-Protocol: %s\r\n\r\n",
                   accept, protocol))
        g->started = pthread_create(&g->thread, NULL, page_send_thread, g) == 0;
    if (g->started)
        read_page(g, c);
    end_page(g);
}

static void serve(void *self, struct web_connection *c)
{
    struct pages *p = self;
    if (strcmp(c->request.path, "/ws") == 0)
        serve_page(p, c);
    else
        pages_serve_file(p, c);
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

static bool on_is_open(void *self, uint32_t page)
{
    struct pages *p = self;
    bool open = false;
    (void)pthread_mutex_lock(&p->lock);
    for (int i = 0; i < PAGES; i++)
        open |= p->page[i].number == page;
    (void)pthread_mutex_unlock(&p->lock);
    return open;
}

/* ---- start and end */

int pages_start(struct pages *p, struct host *h, const struct pages_setup *setup, struct err *e)
{
    p->host = h;
    p->setup = *setup;
    h->reply = on_reply;
    h->is_open = on_is_open;
    h->reply_self = p;
    (void)pthread_mutex_init(&p->lock, NULL);
    for (int i = 0; i < PAGES; i++) {
        p->page[i].all = p;
        (void)pthread_mutex_init(&p->page[i].lock, NULL);
        for (int k = 0; k < PAGE_STREAMS; k++)
            p->page[i].stream[k].target = -1;
    }
    p->server.serve = serve;
    p->server.self = p;
    int bad = web_server_start(&p->server, setup->address, setup->port);
    return bad ? err_set(e, bad, "cannot serve pages at %s:%d: %s; --port N takes another port",
                         setup->address, setup->port, strerror(-bad))
               : 0;
}

void pages_finish(struct pages *p)
{
    for (int i = 0; i < PAGES; i++)
        atomic_store(&p->page[i].finish, true);
    if (p->server.started)
        web_server_stop(&p->server);
}
