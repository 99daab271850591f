/* Messages of diagnosis from a program to a unit: over a CAN bus with our own ISO-TP or the
 * kernel's, or through the tester of a run that is going on. Ordinary threads only: it waits. */
#ifndef SKIDPAD_TARGET_UDS_LINK_H
#define SKIDPAD_TARGET_UDS_LINK_H

#include "shared/base/err.h"
#include "shared/can/uds_client.h"

enum uds_isotp { UDS_ISOTP_AUTO, UDS_ISOTP_OWN, UDS_ISOTP_KERNEL };

struct uds_link_setup {
    const char *can; /* words of can_open.h, or control:SOCKET of a run */
    uint32_t request_id, response_id;
    int64_t wait_ns;            /* for an answer */
    uint8_t block_size, st_min; /* asked for by our own ISO-TP, isotp.h */
    int isotp; /* enum uds_isotp; auto: the kernel's on socketcan, where it is there */
};

struct uds_link;

/* Returns 0 or a negative errno with a message. */
int uds_link_open(struct uds_link **link, const struct uds_link_setup *setup, struct err *e);
void uds_link_close(struct uds_link *link);
/* How it goes, for messages: "own ISO-TP on udp". */
const char *uds_link_about(const struct uds_link *link);

struct uds_reply {
    enum uds_result result;
    uint8_t refusal; /* with UDS_REFUSED */
    int length;
    uint8_t data[ISOTP_DATA + 1];
};

/* Asks and waits for the answer. Returns 0, whatever the unit says, or a negative errno with a
 * message if the message could not be sent. */
int uds_link_ask(struct uds_link *link, const uint8_t *request, int length, struct uds_reply *reply,
                 struct err *e);

#endif
