/* The protocol between a target and its host: UDP, little-endian; docs/host.md has the tables.
 *
 * Where there is a key every packet is authenticated: hellos, challenges, commands and replies have
 * a seal of their own in their body, all others of both sides end with a tag (TELEMETRY_SEALED),
 * made with a key of the run; shared/wire/telemetry_seal.h.
 *
 * Every packet begins with a telemetry_header. Records and events are numbered without gaps by the
 * target; a host that misses numbers asks for them again. What the records hold is told by the
 * description, a JSON text sent in chunks: names, units, types and offsets of all signals. Its hash
 * stands in every packet, so a host never decodes a layout it does not know.
 *
 * These functions check whatever they take from a packet; none of them trusts a length. */
#ifndef SKIDPAD_WIRE_TELEMETRY_H
#define SKIDPAD_WIRE_TELEMETRY_H

#include "shared/wire/record.h"

#include <assert.h>
#include <stdbool.h>

enum {
    TELEMETRY_MAGIC = 0x50444b53, /* "SKDP" */
    TELEMETRY_VERSION = 3,
    TELEMETRY_NAME = 24,
    TELEMETRY_WHO = 32, /* name of who commands */
    TELEMETRY_PACKET_MAX = 32768,
    TELEMETRY_CHUNK = 1200, /* bytes of a blob in a packet */
    TELEMETRY_BLOB_MAX = 16 << 20,
    TELEMETRY_TEXT = 128, /* of an event */
    TELEMETRY_LINE = 400, /* of a command and its answer */
    TELEMETRY_ASK_MAX = 64,
    TELEMETRY_BINS = 28,
    TELEMETRY_PORT = 49150, /* where a host listens unless told otherwise */
};

enum telemetry_kind {
    /* from the target */
    TELEMETRY_RECORDS = 1, /* count records, numbered from first */
    TELEMETRY_EVENTS,      /* the same for events */
    TELEMETRY_STATUS,      /* struct telemetry_status, ten times a second */
    TELEMETRY_BLOB,        /* struct telemetry_blob and a chunk */
    TELEMETRY_CLOCK,       /* struct telemetry_clock: the answer */
    TELEMETRY_GONE,        /* records, or events, before `first` can no longer be had */
    TELEMETRY_CHALLENGE,   /* struct telemetry_hello; sealed with the key */
    TELEMETRY_REPLY,       /* struct telemetry_command; sealed with the session */
    /* from the host */
    TELEMETRY_ASK_CLOCK = 65, /* struct telemetry_clock */
    TELEMETRY_ASK_BLOB,       /* first: which blob */
    TELEMETRY_ASK_RECORDS,    /* first, count */
    TELEMETRY_ASK_EVENTS,     /* first, count */
    TELEMETRY_DONE,           /* the host has all it wants of this run */
    TELEMETRY_HELLO,          /* struct telemetry_hello; sealed with the key */
    TELEMETRY_COMMAND,        /* struct telemetry_command; sealed with the session */
    TELEMETRY_DRIVE,          /* struct telemetry_drive; sealed with the session */
};

/* All structs here are laid out without gaps and go out as they lie in memory. */
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire is little-endian");

struct telemetry_header {
    uint32_t magic;
    uint16_t version;
    uint8_t kind;
    uint8_t flags; /* TELEMETRY_AGAIN, TELEMETRY_OF_EVENTS, TELEMETRY_SEALED */
    uint64_t run;  /* random, one for each run */
    uint64_t table;
    uint64_t packet; /* number of the packet to this receiver, from 1 */
    int64_t sent_ns; /* the sender's monotonic clock; of a target no two packets have the same */
    uint64_t first;
    uint32_t count, each_bytes; /* of the elements that follow; else 0 */
    char name[TELEMETRY_NAME];  /* of the target; ends with a zero */
};
static_assert(sizeof(struct telemetry_header) == 80, "as docs/host.md says");
enum {
    TELEMETRY_AGAIN = 1,     /* was asked for */
    TELEMETRY_OF_EVENTS = 2, /* of TELEMETRY_GONE: not records, events */
    TELEMETRY_SEALED = 4     /* ends with a tag, made with the key of the run */
};
enum { TELEMETRY_TAG = 16 };

struct telemetry_event {
    struct loop_event event;
    char text[TELEMETRY_TEXT];
};
static_assert(sizeof(struct telemetry_event) == 184, "as docs/host.md says");

enum telemetry_state {
    TELEMETRY_WAITING, /* for a start */
    TELEMETRY_RUNNING,
    TELEMETRY_SAFE,
    TELEMETRY_ENDED,
    TELEMETRY_STATES
};

struct telemetry_status {
    uint32_t state, cause;
    int64_t tick, first_ns, period_ns;
    uint64_t records, events; /* numbers of the next ones */
    uint64_t ticks, missed, skipped, in_row;
    int64_t max_response_ns, max_wake_ns;
    uint64_t switches;
    uint32_t driver, faults_active; /* enum loop_driver; bit i: fault i */
    uint32_t blob_generation, reserved;
    uint64_t safe_number;       /* of the safe state that it is in, or was in last */
    char holder[TELEMETRY_WHO]; /* who commands the bench; empty: nobody */
    uint64_t wake[TELEMETRY_BINS], response[TELEMETRY_BINS];
};
static_assert(sizeof(struct telemetry_status) == 160 + 16 * TELEMETRY_BINS, "no gaps");

enum telemetry_blob_id { BLOB_DESCRIPTION, BLOB_FILES, TELEMETRY_BLOBS };

struct telemetry_blob {
    uint32_t id, generation, bytes, offset; /* of the whole, and of this chunk in it */
};

struct telemetry_clock {
    int64_t asked_ns;              /* the host's clock when it asked */
    int64_t taken_ns, answered_ns; /* the target's */
};

enum { TELEMETRY_NONCE = 16, TELEMETRY_SEAL = 32 };

struct telemetry_hello {
    uint8_t host[TELEMETRY_NONCE], target[TELEMETRY_NONCE]; /* target: 0 from the host */
    uint8_t seal[TELEMETRY_SEAL];
};

/* A command is a line of text, as `skidpad control` sends; the reply has the same counter. */
struct telemetry_command {
    uint64_t session, counter;
    char who[TELEMETRY_WHO]; /* who asks: the name for the lease */
    char line[TELEMETRY_LINE];
    uint8_t seal[TELEMETRY_SEAL];
};

struct telemetry_drive {
    uint64_t session, counter;
    char who[TELEMETRY_WHO];
    double hand_wheel_rad, throttle, brake_pedal, clutch_pedal;
    int32_t gear, drives; /* drives 0: the car goes back to the scenario's driver */
    uint8_t seal[TELEMETRY_SEAL];
};

/* FNV-1a over names, units, types and offsets of this build's signals. */
uint64_t telemetry_table_hash(void);
/* The same over any list; start with telemetry_hash_begin. */
extern const uint64_t telemetry_hash_begin;
uint64_t telemetry_hash_signal(uint64_t hash, const char *name, const char *unit, uint32_t type,
                               uint32_t offset);
/* Upper bounds of the bins of a status; the last one is beyond everything. */
int64_t telemetry_bin_high_ns(size_t bin);
size_t telemetry_bin(int64_t time_ns);

enum telemetry_verdict {
    TELEMETRY_GOOD,
    TELEMETRY_STRANGE,       /* not ours */
    TELEMETRY_OTHER_VERSION, /* ours, but another version */
    TELEMETRY_BROKEN,        /* lengths or values that cannot be */
};
/* Takes the header of a packet if the whole packet is well formed: kind known, lengths right for
 * it, name ended. Whether it is authentic is another question. */
enum telemetry_verdict telemetry_open(const void *packet, size_t bytes,
                                      struct telemetry_header *header);

/* Bytes of the packet without the seal at its end, and where the seal is; 0: a kind without. */
size_t telemetry_sealed_bytes(const struct telemetry_header *h);

const char *telemetry_state_name(uint32_t state);

#endif
