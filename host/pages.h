/* What the web server serves: files of the page, and one WebSocket for each page that is open.
 * docs/host.md has the messages. Each page has a thread that sends to it; a page that does not read
 * holds up that thread alone, misses what the target's live memory no longer has when it reads
 * again, and loses its place when it does not answer pings for PAGE_PATIENCE_S. */
#ifndef SKIDPAD_HOST_PAGES_H
#define SKIDPAD_HOST_PAGES_H

#include "host/host.h"
#include "host/web_server.h"
#include "host/websocket.h"

enum {
    PAGES = 16,
    PAGE_STREAMS = 8,
    PAGE_FIELDS = 256,
    PAGE_REPLIES = 32,
    PAGE_TOKEN = 33,
    PAGE_PING = 8, /* bytes of a ping: random, so that nobody answers without having read it */
    PAGE_PINGS = 4,
    PAGE_PATIENCE_S = 6,
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
    struct web_connection *connection;
    pthread_t thread;
    bool started;
    atomic_bool finish;                        /* the sender shall end */
    pthread_mutex_t lock;                      /* of what follows */
    unsigned char ping[PAGE_PINGS][PAGE_PING]; /* the last ones */
    uint64_t pings;
    int64_t alive_ns;             /* a ping was answered, or the page began */
    char echo[WEBSOCKET_CONTROL]; /* what the page's ping had */
    size_t echo_bytes;
    bool echo_wanted;
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
    int64_t status_due_ns, ping_due_ns;
    unsigned char *memory;
    /* the reader's own */
    struct websocket_reader reader;
};

struct pages {
    struct host *host;
    struct pages_setup setup;
    struct web_server server;
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
void pages_serve_file(struct pages *p, struct web_connection *c);
/* Whether the request names this server as its host. */
bool pages_host_is_own(const struct pages *p, const struct web_connection *c);
void pages_refuse(struct pages *p, struct web_connection *c, int status, const char *why);
/* The sender of a page. */
void *page_send_thread(void *argument);
/* By that thread. A message; a long one in parts, so that pings get in between. False: the page is
 * no longer there. */
bool page_send_bytes(struct page *g, enum websocket_opcode opcode, const void *bytes, size_t count);
/* Pings when one is due, and the answer to the page's own. */
bool page_send_control(struct page *g);
/* A message from a page; false: it is no such thing, and the connection ends. */
bool page_take(struct page *g, const char *text, size_t bytes);
void page_reply(struct page *g, int64_t id, bool ok, const char *text);

#endif
