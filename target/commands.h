/* Commands of people to a run: a line of text in, an answer out, now or when the tick has carried
 * it out. The socket (control.h) and hosts (publish.h) bring them; they share the lease and the one
 * place where changes are prepared. */
#ifndef SKIDPAD_TARGET_COMMANDS_H
#define SKIDPAD_TARGET_COMMANDS_H

#include "target/lease.h"
#include "target/loop.h"
#include "target/prepare.h"

enum { COMMAND_WORDS = 8, COMMAND_NAME = 64 };

struct commands {
    struct loop *loop;
    struct lease lease;
    struct tune tune;
    struct prepare prepare;
    struct serve *serve;     /* NULL: this run is the only one */
    int64_t (*now_ns)(void); /* a clock that does not step */
    /* Of a log: what came before is safe from a crash. NULL: there is none. */
    const _Atomic int64_t *covered_ns;
    bool made;
};

/* A command whose answer comes later. */
struct command_ticket {
    int kind;        /* enum request_kind */
    bool preparing;  /* the tick does not have it yet */
    bool scenario;   /* of an end: another one is to follow */
    uint64_t number; /* of the request */
    double value;
    char who[LEASE_NAME];    /* asks */
    char name[COMMAND_NAME]; /* of the fault, the value, the scenario */
};

/* The loop's rings are there; its car is loaded. thread: changes are prepared in one of their own.
 * Returns 0 or a negative errno with a message; to be closed in both cases. */
int commands_open(struct commands *c, struct loop *loop, struct serve *serve, bool thread,
                  struct err *e);
void commands_close(struct commands *c);

/* Who asks, and what they see of the run: a snapshot of the caller's own. */
struct command_from {
    const char *who; /* a name for the lease */
    const struct loop_live *now;
};

/* Whether a line asks for the safe state: "safe" first, in any case, with anything behind it. */
bool command_is_safe(const char *text);
/* Takes one line. Returns false with the answer, "ok ..." or "error ..."; true: it comes later. */
bool commands_begin(struct commands *c, const struct command_from *from, const char *line,
                    struct command_ticket *ticket, char *answer, size_t size);
/* Whether the answer has come. */
bool commands_end(struct commands *c, struct command_ticket *ticket, char *answer, size_t size);

/* Whether this one may drive, which needs the lease. */
bool commands_may_drive(struct commands *c, const char *who);

#endif
