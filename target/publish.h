/* The target's side of the protocol of shared/wire/telemetry.h: an ordinary thread sends records,
 * events and the state of the run to hosts, gives them again what they missed, and takes sealed
 * commands and a person's driving from them. The loop only fills rings and reads a latest value. */
#ifndef SKIDPAD_TARGET_PUBLISH_H
#define SKIDPAD_TARGET_PUBLISH_H

#include "shared/wire/seal.h"
#include "shared/wire/telemetry.h"
#include "target/control.h"
#include "target/describe.h"
#include "target/publish_history.h"
#include "target/run_log.h"

#include <netinet/in.h>
#include <pthread.h>

enum {
    PUBLISH_PEERS = 4,
    PUBLISH_SESSIONS = 4,
    PUBLISH_EVENTS = 4096,
    PUBLISH_PATH = 1024,
    PUBLISH_PENDING = 16
};

/* Records that a packet holds. */
enum {
    PUBLISH_BATCH = (TELEMETRY_PACKET_MAX - sizeof(struct telemetry_header) - TELEMETRY_TAG) /
                    sizeof(struct loop_record)
};

/* Addresses are numeric; port 0: not used. */
struct publish_setup {
    const char *name; /* of the target; cut to TELEMETRY_NAME - 1 bytes */
    const char *host; /* where records go */
    int port;
    const char *listen_host; /* where hosts may ask for them */
    int listen_port;
    const char *key;             /* key file; "": the usual place, once there is one */
    const char *log;             /* of the run, for what is asked again; "": none */
    struct diagnosis *diagnosis; /* of the unit; NULL: none */
    struct commands *commands;
    struct describe_source source; /* the loop is set up; run and time are filled in here */
};

struct publish_peer {
    struct sockaddr_in at;
    uint64_t packets;
    int64_t heard_ns;
    bool used, fixed, done;
};

/* A host that has the key. Proven: it has sealed something with the session, so its hello was no
 * old one sent again by somebody else. */
struct publish_session {
    uint64_t id;
    struct seal_key key;
    uint8_t host[SEAL_NONCE], target[SEAL_NONCE];
    uint64_t commands, drives;      /* counters of the last ones */
    struct telemetry_command reply; /* to the last one; an empty line: not there yet */
    int64_t heard_ns;
    bool used, proven;
};

/* A host that waits for an answer. */
struct publish_pending {
    struct publish_session *session;
    uint64_t id, counter; /* of its command */
    struct sockaddr_in at;
    struct command_ticket ticket;
};

struct publish {
    struct loop *loop;
    int socket;
    bool connected; /* to the one host there is */
    pthread_t thread;
    bool started;
    atomic_bool finish;
    struct telemetry_header header; /* what all packets have in common */
    struct publish_peer peer[PUBLISH_PEERS];
    struct publish_session session[PUBLISH_SESSIONS];
    struct seal_key key, run_key; /* has_key: every packet is sealed, every one to come must be */
    bool has_key, person_may_drive;
    int64_t key_tried_ns;
    int64_t sent_ns;             /* by the header of the last packet */
    struct diagnosis *diagnosis; /* NULL: none */
    struct control_uds uds;
    struct publish_pending uds_from; /* who waits for the unit's answer */
    struct commands *room;           /* that takes them */
    int pending_count;
    struct publish_pending pending[PUBLISH_PENDING];
    struct publish_history history;
    uint64_t next; /* number of the next record */
    /* from the log's thread */
    struct run_log_tap tap;
    struct ring events;   /* struct telemetry_event */
    uint64_t events_lost; /* since the last one that found room there; of the log's thread */
    struct loop_event lost_last;
    pthread_mutex_t lock;
    bool lock_made;
    uint64_t wake[TELEMETRY_BINS], response[TELEMETRY_BINS];
    /* events, numbered */
    struct telemetry_event *kept;
    uint64_t event_next;
    /* the description and the files */
    char *blob[TELEMETRY_BLOBS];
    size_t blob_bytes[TELEMETRY_BLOBS];
    size_t blob_sent[TELEMETRY_BLOBS]; /* of the round that goes on; == bytes: none does */
    bool blob_again[TELEMETRY_BLOBS];  /* asked for meanwhile */
    uint32_t generation;
    bool ended;
    int64_t status_due_ns, blob_due_ns;
    int64_t asked_ns; /* when a host last asked for something it missed */
    /* for the summary */
    uint64_t sent, failed; /* records */
    uint64_t refused;      /* packets, as far as the host's machine said so: nobody listens */
    uint64_t commands, rejected;
    int hosts;       /* that were there at the end, */
    int left_behind; /* and those of them that did not say that they have everything */
};

/* Everything but the thread; publish_round() is what that does again and again. */
int publish_open(struct publish *p, struct loop *loop, const struct publish_setup *setup,
                 struct err *e);
void publish_round(struct publish *p);
/* Returns 0 or a negative errno with a message; to be finished in both cases. */
int publish_start(struct publish *p, struct loop *loop, const struct publish_setup *setup,
                  struct err *e);
/* Sends what is left, waits a little for hosts that miss some of it, and ends. */
void publish_finish(struct publish *p);

/* ---- between the files of publish */

int64_t publish_now_ns(void);
/* One packet; its body has these bytes. */
void publish_send(struct publish *p, struct publish_peer *peer, const struct telemetry_header *h,
                  const void *body, size_t bytes);
/* Whether there is a key; looks for it at the usual place, once in a while: a host may make it
 * after the start. */
bool publish_need_key(struct publish *p);
/* Takes what has come from hosts. */
void publish_take(struct publish *p);
/* Answers of the tick and of the unit, once they are there. */
void publish_answer_pending(struct publish *p);
/* One packet from there. */
void publish_take_packet(struct publish *p, const struct sockaddr_in *from, const void *packet,
                         size_t bytes);
/* Hellos, commands and driving. */
void publish_take_sealed(struct publish *p, const struct sockaddr_in *from,
                         const struct telemetry_header *h, const void *packet);
/* Records or events, numbered from first; each: bytes of one. */
struct publish_list {
    uint8_t kind, flags; /* enum telemetry_kind; TELEMETRY_AGAIN */
    uint64_t first;
    uint32_t count, each_bytes;
    const void *elements;
};
void publish_send_list(struct publish *p, struct publish_peer *peer, const struct publish_list *l);

#endif
