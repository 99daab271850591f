/* The tester's side of UDS: one request at a time, with its answer. Pure: time comes in.
 *
 * uds_exchange judges answers however they come (own ISO-TP, the kernel's, a control socket);
 * uds_tester adds ISO-TP to it, for whoever has frames. */
#ifndef SKIDPAD_CAN_UDS_CLIENT_H
#define SKIDPAD_CAN_UDS_CLIENT_H

#include "shared/can/isotp.h"
#include "shared/can/uds.h"

enum uds_result {
    UDS_WAITING,
    UDS_ANSWERED, /* positive; or nothing came and nothing was to come */
    UDS_REFUSED,  /* negative; see refusal */
    UDS_SILENT    /* no answer in time */
};

struct uds_exchange {
    int64_t until_ns;
    int64_t wait_ns;  /* for an answer */
    int64_t later_ns; /* patience after "response pending" */
    uint32_t result;  /* enum uds_result */
    uint8_t service;
    uint8_t quiet;   /* a positive answer was not wanted */
    uint8_t refusal; /* negative response code */
    uint8_t reserved;
};

/* The answer must come within wait_ns of the last frame of the request; after "response pending"
 * within 5 s. */
void uds_exchange_begin(struct uds_exchange *x, const uint8_t *request, int length, int64_t now_ns,
                        int64_t wait_ns);
/* Takes a message from the unit; one that is no answer to the request changes nothing. */
void uds_exchange_take(struct uds_exchange *x, const uint8_t *answer, int length, int64_t now_ns);
/* Something of the request or of its answer is still on its way: the time begins anew. */
void uds_exchange_renew(struct uds_exchange *x, int64_t now_ns);
/* Lets time pass. */
void uds_exchange_wait(struct uds_exchange *x, int64_t now_ns);

/* ---- with ISO-TP */

struct uds_tester {
    struct isotp_setup setup; /* const */
    struct isotp link;
    struct uds_exchange exchange;
    int32_t answer_length, busy; /* busy: between ask and result */
    uint8_t answer[ISOTP_DATA + 1];
};

void uds_tester_open(struct uds_tester *t, uint32_t request_id, uint32_t response_id);
/* Returns 0, -EBUSY while a request is under way, or -EMSGSIZE. */
int uds_tester_ask(struct uds_tester *t, const uint8_t *request, int length, int64_t now_ns,
                   int64_t wait_ns);
/* Each received frame; whether it was of this connection. */
bool uds_tester_take(struct uds_tester *t, const struct can_msg *msg, int64_t now_ns);
/* In every tick: frames to be sent. */
int uds_tester_poll(struct uds_tester *t, int64_t now_ns, struct can_msg *out, int room);
/* How it stands with the request; once it is not waiting, the next may be asked. The answer is in
 * answer[0..answer_length - 1]. */
enum uds_result uds_tester_result(const struct uds_tester *t);

/* ---- answers to UDS_READ_CODES */

enum { UDS_CODES = 64 };

struct uds_code {
    uint32_t code;
    uint8_t status, reserved[3];
};

/* Of UDS_CODES_MATCHING and UDS_CODES_SUPPORTED. Returns how many, at most room; -EPROTO if the
 * answer is not as it should be. */
int uds_codes_parse(const uint8_t *answer, int length, struct uds_code *list, int room);

/* The request for the codes that match a mask; returns its length. */
int uds_codes_request(uint8_t mask, uint8_t request[3]);
/* To forget a group of codes. */
int uds_clear_request(uint32_t group, uint8_t request[4]);

#endif
