/* Requests to a run from the same machine: a datagram socket in the file system, one line of text
 * each way: "REQUEST", or "@NAME REQUEST" from one who has a name for the lease. Who may write to
 * the socket file may command the bench. */
#ifndef SKIDPAD_TARGET_CONTROL_H
#define SKIDPAD_TARGET_CONTROL_H

#include "shared/base/err.h"
#include "target/commands.h"
#include "target/control_uds.h"

#include <sys/socket.h>
#include <sys/un.h>

/* A line holds the longest message of diagnosis in hexadecimal digits. */
enum {
    CONTROL_LINE = 2 * ISOTP_DATA + 64,
    CONTROL_PATH = 108,
    CONTROL_SEND_BYTES = 4 << 20, /* of answers that are not read yet */
    CONTROL_PENDING = 32,         /* besides stops, which may fill REQUESTS */
};

struct control_peer {
    struct sockaddr_un at;
    socklen_t length;
};

struct control_pending {
    struct command_ticket ticket;
    struct control_peer from;
};

struct control {
    struct commands *commands;
    int socket;                  /* -1: none */
    struct diagnosis *diagnosis; /* of the unit; NULL: none */
    struct control_uds uds;
    struct control_peer uds_from; /* who waits for its answer */
    int pending_count;
    struct control_pending pending[CONTROL_PENDING + REQUESTS];
    char path[CONTROL_PATH];
};

/* Listens at path until control_close(). A socket file that nobody listens at any more is replaced;
 * one in use is an error. */
int control_open(struct control *c, struct commands *commands, const char *path, struct err *e);
/* Takes what has come and answers what can be answered, without waiting. For the thread that
 * watches the run: every ms while control_is_waiting(). */
void control_poll(struct control *c);
/* Whether an answer is outstanding. */
bool control_is_waiting(const struct control *c);
void control_close(struct control *c);

/* The other side: sends a line to the run that listens at path and waits for its answer. */
int control_ask(const char *path, const char *line, char *answer, size_t size, struct err *e);

#endif
