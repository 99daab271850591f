/* The target's side of the protocol with a host of this process, whose socket the test reads and
 * writes. */
#ifndef SKIDPAD_TESTS_PUBLISH_BED_H
#define SKIDPAD_TESTS_PUBLISH_BED_H

#include "target/publish.h"

struct publish_bed {
    struct loop loop;
    struct rt rt;
    struct offline car;
    struct publish publish;
    struct commands commands;
    struct diagnosis diagnosis;
    int host, port;
    struct sockaddr_in target; /* where its packets come from */
    char folder[64], key_path[96];
    struct seal_key key;
    unsigned char packet[TELEMETRY_PACKET_MAX];
    struct telemetry_header header;
    struct seal_key run_key;
    bool untagged; /* questions go out without a tag */
};

/* A host's socket on a port of its own, or on the one given. */
int bed_listen(int *port);
/* The loop, a host and a key; nothing is published yet. */
struct publish_bed *bed_open(void);
/* Starts to publish, to that host. Returns what publish_start() does. */
int bed_begin(struct publish_bed *b, struct err *e);
/* Both of it. */
struct publish_bed *bed_start(void);
void bed_close(struct publish_bed *b);

/* In the place of the loop: a record of that number. */
void bed_put(struct publish_bed *b, uint64_t number);
/* The body of the next packet of a kind, whose head is in b->header; others are passed over. */
const void *bed_next(struct publish_bed *b, int kind);
/* Nothing of that kind comes for a while. */
bool bed_hears_nothing(struct publish_bed *b, int kind);
/* The head of a packet of the host, and the packet, with the tag of the run. */
struct telemetry_header bed_header(const struct publish_bed *b, uint8_t kind);
void bed_say(struct publish_bed *b, const struct telemetry_header *h, const void *body,
             size_t bytes);

#endif
