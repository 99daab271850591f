/* The host: takes telemetry of several targets, records it, commands them, and serves pages.
 *
 * Threads: one for the network (everything below marked so), one per recording (recorder.h), those
 * of the web server, and one per page that sends to it (pages.h). What pages read of a target is
 * guarded by its lock, which is held for moments only; nobody waits for a page. */
#ifndef SKIDPAD_HOST_HOST_H
#define SKIDPAD_HOST_HOST_H

#include "host/description.h"
#include "host/recorder.h"
#include "host/window.h"
#include "shared/wire/seal.h"
#include "shared/wire/telemetry.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    HOST_TARGETS = 8,
    HOST_LIVE = 4096,   /* records kept for pages */
    HOST_EVENTS = 1024, /* the same of events */
    HOST_COMMANDS = 64,
    HOST_PATH = 1024,
    HOST_CLOCKS = 16,
};

struct host_setup {
    struct sockaddr_in listen;
    int targets; /* those that are asked for telemetry */
    struct sockaddr_in target[HOST_TARGETS];
    const char *record;   /* folder; NULL: nothing is recorded */
    const char *key_path; /* "": none, then no commands */
    bool verbose;
};

/* A command on its way. */
struct host_command {
    uint32_t page; /* who asked; 0: the host itself */
    int64_t id;
    int target;
    char line[TELEMETRY_LINE];
};

struct host_blob {
    char *text;
    bool *have;
    uint32_t bytes, generation, chunks;
    bool complete;
};

struct host_drive {
    struct telemetry_drive input;
    bool fresh;
    uint32_t page; /* who drives; 0: nobody */
    int64_t at_ns;
};

struct host_session {
    uint8_t nonce[SEAL_NONCE];
    struct seal_key key;
    bool asked, made;
    uint64_t commands, drives;
    bool busy; /* a command waits for its answer */
    struct host_command command;
    int tries;
    int64_t sent_ns;
};

struct host_target {
    int id;
    atomic_bool used;
    pthread_mutex_t lock;
    /* read by pages under the lock, written by the network thread under it */
    char name[TELEMETRY_NAME];
    uint64_t run;
    bool lost;
    struct description *description;
    uint32_t description_number; /* grows with every new one */
    struct telemetry_status status;
    bool has_status;
    int64_t heard_ns;
    int64_t clock_offset_ns, round_trip_ns; /* the host's clock minus the target's */
    bool has_clock;
    unsigned char *live; /* HOST_LIVE records */
    int64_t live_ns[HOST_LIVE];
    uint64_t live_count;
    struct telemetry_event event[HOST_EVENTS];
    uint64_t event_count;
    uint64_t packets, packets_lost, late, duplicates, missing, filled;
    char recording[HOST_PATH];
    char problem[160];
    struct host_drive drive;
    /* the network thread's own */
    struct sockaddr_in at;
    uint64_t packet_first, packet_end, own_packets, table;
    uint64_t number_end; /* one above the highest record seen */
    uint64_t event_next; /* number of the next event wanted */
    struct window window;
    bool has_window, complete;
    struct recorder *recorder;
    bool recorder_failed;
    struct host_blob blob[TELEMETRY_BLOBS];
    struct host_session session;
    int64_t clock_due_ns, blob_due_ns, ask_due_ns, event_due_ns, hello_due_ns;
    int64_t clock_trip_ns[HOST_CLOCKS], clock_off_ns[HOST_CLOCKS];
    int clocks;
};

struct host {
    struct host_setup setup;
    int socket, wake;
    pthread_t thread;
    bool started;
    atomic_bool finish;
    struct seal_key key;
    bool has_key;
    struct host_target target[HOST_TARGETS];
    atomic_uint generation; /* of the list of targets and their states */
    atomic_ullong strange, other_version, broken, crowded;
    atomic_bool not_recorded; /* something that was to be */
    int64_t told_version_ns;
    uint8_t hello_nonce[HOST_TARGETS][SEAL_NONCE]; /* to targets that are asked */
    int64_t hello_due_ns[HOST_TARGETS];
    int hellos[HOST_TARGETS]; /* to a target that was never heard */
    pthread_mutex_t lock;     /* of the commands */
    struct host_command queue[HOST_COMMANDS];
    int queued;
    /* How answers get back to pages; set before the start. */
    void (*reply)(void *self, const struct host_command *c, bool ok, const char *text);
    void *reply_self;
};

int host_start(struct host *h, const struct host_setup *setup, struct err *e);
/* Ends the network thread; what is known of the targets stays to be read. */
void host_stop(struct host *h);
/* Finishes the recordings and forgets the targets. */
void host_finish(struct host *h);
int64_t host_now_ns(void);

/* Any thread: puts a command in the queue; false: it is full. */
bool host_command(struct host *h, const struct host_command *c);
/* Any thread: what a person at a page does. Returns NULL, or why not. */
const char *host_drive(struct host *h, int target, uint32_t page, const struct telemetry_drive *d);

/* ---- between the files of the host; the network thread */

void host_take(struct host *h, const struct sockaddr_in *from, const void *packet, size_t bytes);
void host_tend(struct host *h, int64_t now_ns);
void host_send(struct host *h, struct host_target *t, struct telemetry_header *header,
               const void *body, size_t bytes);
/* Sessions and commands. */
void host_take_sealed(struct host *h, struct host_target *t, const struct telemetry_header *header,
                      const void *packet);
void host_tend_commands(struct host *h, struct host_target *t, int64_t now_ns);
/* Hands records that are in order to the recorder; opens and closes it. */
void host_record(struct host *h, struct host_target *t);
void host_end_run(struct host_target *t);
/* Says so once in a while, on stderr. */
void host_changed(struct host *h);

#endif
