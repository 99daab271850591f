/* The web server: files of the page, and one WebSocket for each page that is open. docs/host.md has
 * the messages. Each page has a thread that sends to it; a page that does not read holds up that
 * thread alone, and misses what the target's live memory no longer has when it reads again. */
#ifndef SKIDPAD_HOST_PAGES_H
#define SKIDPAD_HOST_PAGES_H

#include "host/host.h"

#include <civetweb.h>

enum {
    PAGES = 16,
    PAGE_STREAMS = 8,
    PAGE_FIELDS = 256,
    PAGE_REPLIES = 32,
    PAGE_MESSAGE = 32768, /* bytes of a message from a page */
    PAGE_TOKEN = 33,
};

struct pages_setup {
    const char *address; /* numeric */
    int port;
    const char *folder;     /* files of the page */
    char token[PAGE_TOKEN]; /* who knows it may come in */
};

struct page_stream {
    int target; /* -1: not subscribed */
    double rate_hz;
    int fields;
    char (*name)[64]; /* of the fields; owned */
    /* the sender's own */
    int signal[PAGE_FIELDS]; /* -1: unknown here; stands as NaN */
    uint32_t description_number;
    uint64_t next;    /* live record to go on with */
    int64_t due_ns;   /* run time of the next record to send */
    uint32_t dropped; /* since the last message */
    bool fresh;       /* begins with what comes next */
};

struct page_reply {
    int64_t id;
    bool ok;
    char text[TELEMETRY_LINE];
};

struct page_pong {
    int64_t id;
    double t;
    bool wanted;
};

struct page {
    struct pages *all;
    uint32_t number; /* of the connection, from 1; 0: free */
    struct mg_connection *connection;
    pthread_t thread;
    bool started;
    atomic_bool finish;   /* the sender shall end */
    atomic_bool over;     /* it has ended */
    pthread_mutex_t lock; /* of what follows */
    struct page_stream stream[PAGE_STREAMS];
    struct page_reply reply[PAGE_REPLIES];
    int replies;
    struct page_pong pong;
    /* the sender's own */
    unsigned generation;
    bool greeted;
    uint32_t described[HOST_TARGETS];
    uint64_t events[HOST_TARGETS];
    uint64_t event_run[HOST_TARGETS];
    int64_t status_due_ns;
    unsigned char *memory;
};

struct pages {
    struct host *host;
    struct pages_setup setup;
    struct mg_context *server;
    pthread_mutex_t lock; /* of the list */
    uint32_t numbers;
    struct page page[PAGES];
    atomic_ullong refused, bytes_sent;
};

int pages_start(struct pages *p, struct host *h, const struct pages_setup *setup, struct err *e);
void pages_finish(struct pages *p);
/* Whether the folder has a page to serve. */
bool pages_are_built(const struct pages_setup *setup);

/* ---- between the files of the pages */

/* Files; the answer to any request that is not for the WebSocket. */
int pages_serve_file(struct mg_connection *c, void *self);
/* Whether the request names this server as its host, and comes from a page of its own. */
bool pages_host_is_own(const struct pages *p, const struct mg_connection *c);
bool pages_origin_is_own(const struct pages *p, const struct mg_connection *c);
int pages_refuse(struct pages *p, struct mg_connection *c, int status, const char *why);
/* The sender of a page. */
void *page_send_thread(void *argument);
/* A message from a page; false: it is no such thing, and the connection ends. */
bool page_take(struct page *g, const char *text, size_t bytes);
void page_reply(struct page *g, int64_t id, bool ok, const char *text);

#endif
