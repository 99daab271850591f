/* A small HTTP/1.1 server: a thread for each connection, one request for each.
 *
 * Everything is bounded: connections, the bytes of a head, the time for it, and how long a write
 * waits for a reader. When all connections are taken the oldest that is no WebSocket is closed, so
 * those that only hold theirs keep nobody out. */
#ifndef SKIDPAD_HOST_WEB_SERVER_H
#define SKIDPAD_HOST_WEB_SERVER_H

#include "host/web_request.h"
#include "shared/base/err.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { WEB_CONNECTIONS = 48 };

struct web_server;

struct web_connection {
    struct web_server *server;
    int fd; /* does not block; closed by the server */
    pthread_t thread;
    bool used;        /* the listening thread's own */
    uint64_t number;  /* the higher the newer */
    atomic_bool kept; /* a WebSocket: is not closed for others */
    atomic_bool over; /* its thread has ended */
    struct web_request request;
    char head[WEB_HEAD_MAX];
    size_t head_bytes, have; /* of the head; what has come, perhaps more than that */
};

struct web_server {
    void (*serve)(void *self, struct web_connection *c); /* by the connection's thread */
    void *self;
    int listen, wake;
    pthread_t thread;
    bool started;
    atomic_bool finish;
    uint64_t numbers;
    struct web_connection connection[WEB_CONNECTIONS];
};

/* serve and self are set. address is numeric. Returns 0 or a negative errno. */
int web_server_start(struct web_server *s, const char *address, int port);
/* Ends all connections; serve() must return when its connection fails. */
void web_server_stop(struct web_server *s);

/* Writes all, waiting as long as the reader takes some of it every few seconds; false: it does not,
 * or is gone. */
bool web_write(struct web_connection *c, const void *bytes, size_t count);
bool web_printf(struct web_connection *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
