/* Requests to a run from the same machine: a datagram socket in the file system, one line of text
 * each way. Who may write to the socket file may command the bench. */
#ifndef SKIDPAD_TARGET_CONTROL_H
#define SKIDPAD_TARGET_CONTROL_H

#include "shared/base/err.h"
#include "target/control_uds.h"
#include "target/loop.h"

#include <sys/socket.h>
#include <sys/un.h>

/* A line holds the longest message of diagnosis in hexadecimal digits. */
enum { CONTROL_LINE = 2 * ISOTP_DATA + 64, CONTROL_PATH = 108, CONTROL_WORDS = 8 };

struct control {
    struct loop *loop;
    int socket;                  /* -1: none */
    struct diagnosis *diagnosis; /* of the unit; NULL: none */
    struct control_uds uds;
    struct sockaddr_un uds_from; /* who waits for its answer */
    socklen_t uds_from_length;
    char path[CONTROL_PATH];
};

/* Listens at path until control_close(). A socket file that nobody listens at any more is replaced;
 * one in use is an error. */
int control_open(struct control *c, struct loop *loop, const char *path, struct err *e);
/* Answers what has come, without waiting. For the thread that watches the run. Answers of the unit
 * come later: call it every few ms while c->uds.pending. */
void control_poll(struct control *c);
void control_close(struct control *c);

/* Where a request is answered: any thread but the loop's, with a snapshot of its own. */
struct control_desk {
    struct loop *loop;
    const struct loop_live *now;
};

/* The answer to one line: "ok ..." or "error ...". The requests stand in a table there. */
void control_answer(const struct control_desk *desk, const char *line, char *answer, size_t size);

/* The other side: sends a line to the run that listens at path and waits for its answer. */
int control_ask(const char *path, const char *line, char *answer, size_t size, struct err *e);

#endif
