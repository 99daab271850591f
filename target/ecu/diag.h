/* Diagnosis of the stand-in on its bus: ISO-TP, the services, the store of codes. Pure. */
#ifndef SKIDPAD_ECU_DIAG_H
#define SKIDPAD_ECU_DIAG_H

#include "shared/can/isotp.h"
#include "target/ecu/uds_server.h"

enum { DIAG_FRAMES = 4 }; /* sent in one cycle at most: 4 frames of 5 ms leave room for others */

/* Identifiers on the bus, with CAN_ID_EXTENDED. */
struct diag_ids {
    uint32_t request, response;
    uint32_t functional; /* requests to all units; 0: none */
};

struct diag {
    struct diag_ids ids; /* const; request 0: no tester is heard */
    struct isotp_setup setup;
    struct isotp link;
    struct uds_server server;
    struct dtc_store store;
    int32_t all_length; /* of a request to all units */
    uint8_t all[CAN_MSG_DATA], answer[ISOTP_DATA + 1];
};

/* What outlives the power. */
struct diag_kept {
    struct dtc_store store;
    double yaw_zero_radps, acc_y_zero_mps2;
    uint32_t changes; /* another number after every change */
    char vin[UDS_VIN + 3];
};

void diag_keep(const struct diag *d, const struct power *power, struct diag_kept *k);
void diag_restore(struct diag *d, struct power *power, const struct diag_kept *k);

/* As new. */
void diag_open(struct diag *d, const struct diag_ids *ids);

/* Takes a frame; whether it was for diagnosis. */
bool diag_take(struct diag *d, const struct can_msg *msg, int64_t now_ns);

/* One cycle after ecu_step(): codes, requests, frames to be sent; returns how many are in out. A
 * unit that sleeps answers nothing. */
int diag_cycle(struct diag *d, struct uds_unit *unit, int64_t now_ns, struct can_msg *out,
               int room);

#endif
