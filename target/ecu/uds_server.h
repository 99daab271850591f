/* The stand-in's side of UDS (ISO 14229): a request in, its answer out. Pure: time comes in.
 *
 *     service               session    remark
 *     0x10 session          any        1 default, 3 extended; back after 5 s without a request
 *     0x11 reset            extended   1 hard, 3 soft; at standstill
 *     0x14 clear codes      any        one, or all
 *     0x19 read codes       any        01 02 04 06 0A
 *     0x22 read data        any        several at once
 *     0x27 security access  extended   01 seed, 02 key; three attempts, then 10 s of delay
 *     0x2E write data       extended   with security, at standstill
 *     0x3E tester present   any
 *
 * docs/diagnosis.md has the refusals. */
#ifndef SKIDPAD_ECU_UDS_SERVER_H
#define SKIDPAD_ECU_UDS_SERVER_H

#include "target/ecu/dtc.h"
#include "target/ecu/uds_data.h"

enum {
    UDS_ATTEMPTS = 3,
    UDS_AT_ONCE = 32 /* identifiers in a request: it must be served within a cycle */
};

struct uds_server {
    struct uds_identity identity;
    int64_t session_until_ns; /* S3 of a session other than the default */
    int64_t delay_until_ns;   /* security access is refused until then */
    uint32_t seed;            /* given out; 0: none */
    uint32_t random;
    uint8_t session;  /* enum uds_session */
    uint8_t unlocked; /* security access was granted */
    uint8_t attempts; /* wrong keys in a row */
    uint8_t reset;    /* asked for; to be done once the answer is out */
    uint32_t changes; /* counts up with every value written */
};

void uds_server_reset(struct uds_server *s);

/* Ends the session when its time is over; once a cycle. */
void uds_server_step(struct uds_server *s, int64_t now_ns);

/* A request; functional: sent to all units, which then do not tell what they do not have. The
 * answer goes to `answer`, at most room bytes; returns its length, 0: none. */
int uds_server_answer(struct uds_server *s, struct dtc_store *store, struct uds_unit *unit,
                      const uint8_t *request, int length, bool functional, int64_t now_ns,
                      uint8_t *answer, int room);

#endif
