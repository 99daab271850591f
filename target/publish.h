/* Telemetry: an ordinary thread sends decimated records over UDP. One datagram a record: a header,
 * then the record as it lies in memory (little-endian). The protocol proper belongs to the host. */
#ifndef SKIDPAD_TARGET_PUBLISH_H
#define SKIDPAD_TARGET_PUBLISH_H

#include "target/loop.h"

#include <pthread.h>

enum { PUBLISH_MAGIC = 0x50444b53 /* "SKDP" */, PUBLISH_VERSION = 1 };

struct publish_header {
    uint32_t magic, version;
    uint64_t sequence;
    uint64_t table_hash; /* of names, units, types and offsets: who differs must not decode */
    uint32_t record_bytes, reserved;
};

struct publish {
    struct loop *loop;
    int socket;
    pthread_t thread;
    bool started;
    atomic_bool finish;
    uint64_t sent, failed;
    uint64_t refused; /* of those sent, as far as the host's machine said so: nobody listens */
};

/* Numeric address. Returns 0 or a negative errno with a message. */
int publish_start(struct publish *p, struct loop *loop, const char *host, int port, struct err *e);
void publish_finish(struct publish *p);

#endif
