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
    HOST_STOPS = 16, /* besides */
    HOST_PATH = 1024,
    HOST_NAME = 17,
    HOST_CLOCKS = 16,
    HOST_CROWDED = 16,
    HOST_RETIRED = 16,
};

/* Why packets of targets are not taken. */
enum host_refusal {
    REFUSED_UNSEALED,  /* no seal, and the host has a key */
    REFUSED_FORGED,    /* the seal is not of this key */
    REFUSED_KEYLESS,   /* a seal, and the host has no key */
    REFUSED_SILENT,    /* no answer to the challenge */
    REFUSED_ELSEWHERE, /* of a run that is at another address */
    REFUSED_CROWDED,   /* all places are taken */
    HOST_REFUSALS
};

struct host_refused {
    uint64_t count; /* packets */
    int64_t since_ns, last_ns, told_ns;
    bool shown;                    /* on pages: it goes on */
    char who[TELEMETRY_NAME + 40]; /* of the last one that was told */
};

struct host_setup {
    struct sockaddr_in listen;
    int targets; /* those that are asked for telemetry */
    struct sockaddr_in target[HOST_TARGETS];
    const char *record;   /* folder; NULL: nothing is recorded */
    const char *key_path; /* "": none, then no commands */
    bool accept_unsealed; /* although there is a key */
    bool verbose;
};

/* A command on its way. */
struct host_command {
    uint32_t page; /* that asked and is answered; 0: the host itself */
    uint32_t as;   /* of the host itself: in the name of that page */
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
    uint32_t by;   /* whose input this is */
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
    bool sealed; /* has the key: all its packets are sealed with this one of the run */
    struct seal_key run_key;
    int64_t sent_newest_ns; /* by the target's clock */
    uint64_t packet_first, packet_end, own_packets, table;
    uint64_t number_end; /* one above the highest record seen */
    uint64_t event_next; /* number of the next event wanted */
    struct window window;
    bool has_window, complete;
    struct recorder *recorder;
    bool recorder_failed, finishing, judged, incomplete;
    struct host_blob blob[TELEMETRY_BLOBS];
    struct host_session session;
    uint32_t held_for; /* page whose lease the host renews; 0: none */
    int64_t hold_due_ns;
    int64_t clock_due_ns, blob_due_ns, ask_due_ns, event_due_ns, hello_due_ns;
    int64_t clock_asked_ns; /* of the last answer that was taken */
    int64_t clock_trip_ns[HOST_CLOCKS], clock_off_ns[HOST_CLOCKS];
    int clocks;
};

/* A recording that is finished while its place is another run's already. */
struct host_retired {
    struct recorder *recorder; /* NULL: free */
    char name[TELEMETRY_NAME];
    uint64_t run;
    bool counted; /* as incomplete */
};

struct host {
    struct host_setup setup;
    int socket, wake;
    unsigned char *memory; /* for packets */
    pthread_t thread;
    bool started;
    atomic_bool finish;
    struct seal_key key;
    bool has_key;
    struct seal_key secret; /* made at the start, for nobody else */
    uint64_t admissions;    /* runs that got a place */
    struct host_target target[HOST_TARGETS];
    atomic_uint generation; /* of the list of targets and their states */
    atomic_ullong strange, other_version, broken;
    uint64_t crowded_run[HOST_CROWDED]; /* that have the key and found no place yet */
    int crowded_runs;
    struct host_retired retired[HOST_RETIRED];
    uint64_t recordings, incomplete; /* runs that are over */
    char loss[256];                  /* of the last incomplete one */
    int64_t told_version_ns;
    uint8_t hello_nonce[HOST_TARGETS][SEAL_NONCE]; /* to targets that are asked */
    int64_t hello_due_ns[HOST_TARGETS];
    int hellos[HOST_TARGETS]; /* to a target that was never heard */
    char own_name[HOST_NAME]; /* of this machine, in the names of pages */
    pthread_mutex_t lock;     /* of the commands, and of what was refused */
    struct host_refused refused[HOST_REFUSALS];
    struct host_command queue[HOST_COMMANDS + HOST_STOPS];
    int queued;
    /* How answers get back to pages; set before the start. */
    void (*reply)(void *self, const struct host_command *c, bool ok, const char *text);
    bool (*is_open)(void *self, uint32_t page);
    void *reply_self;
};

/* Everything but the network thread; host_round() is what that does again and again. */
int host_open(struct host *h, const struct host_setup *setup, struct err *e);
void host_round(struct host *h);
int host_start(struct host *h, const struct host_setup *setup, struct err *e);
/* Ends the network thread and finishes the recordings; what is known of the targets stays to be
 * read. */
void host_stop(struct host *h);
/* Forgets the targets. */
void host_finish(struct host *h);
int64_t host_now_ns(void);

/* Any thread: puts a command in the queue, a stop before all others; false: it is full. */
bool host_command(struct host *h, const struct host_command *c);
/* Any thread: the name that a page has in the lease of a target; page 0: the host itself. */
void host_name_page(const struct host *h, uint32_t page, char who[TELEMETRY_WHO]);
/* Any thread: what a person at a page does. Returns NULL, or why not. */
const char *host_drive(struct host *h, int target, uint32_t page, const struct telemetry_drive *d);

/* ---- between the files of the host; the network thread */

/* The target that a packet is of, which has been opened; NULL: it is not taken. */
struct host_target *host_admit(struct host *h, const struct telemetry_header *header,
                               const struct sockaddr_in *from, const void *packet, size_t bytes);
const char *host_refusal_text(enum host_refusal why);
/* Pages no longer show what is not refused any more. */
void host_tend_refusals(struct host *h, int64_t now_ns);
void host_take(struct host *h, const struct sockaddr_in *from, const void *packet, size_t bytes);
void host_tend(struct host *h, int64_t now_ns);
void host_send(struct host *h, struct host_target *t, struct telemetry_header *header,
               const void *body, size_t bytes);
void host_send_to(struct host *h, const struct sockaddr_in *to,
                  const struct telemetry_header *header, const void *body, size_t bytes);
/* Sessions and commands. */
void host_take_sealed(struct host *h, struct host_target *t, const struct telemetry_header *header,
                      const void *packet);
void host_tend_commands(struct host *h, struct host_target *t, int64_t now_ns);
/* Hands records that are in order to the recorder, which it opens. */
void host_record(struct host *h, struct host_target *t);
/* Whether the recording's name is known now and was not before. */
bool host_name_recording(struct host_target *t);
/* Whether a recording that is not finished can make room for another run. */
bool host_may_retire(struct host *h);
/* The end: of the recording of a run that is here as a whole; of a run whose place is needed; of
 * all. */
void host_finish_recording(struct host *h, struct host_target *t);
void host_end_run(struct host *h, struct host_target *t);
void host_close_recordings(struct host *h);
void host_reap(struct host *h, bool wait);
void host_shrink(struct host_target *t, int64_t now_ns);
void host_blob_drop(struct host_blob *b);
void host_blob_free(struct host_blob *b);
/* Pages are told. */
void host_changed(struct host *h);

#endif
