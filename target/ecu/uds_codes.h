/* Services of the trouble codes, 0x14 and 0x19. */
#ifndef SKIDPAD_ECU_UDS_CODES_H
#define SKIDPAD_ECU_UDS_CODES_H

#include "target/ecu/dtc.h"

/* Both return the length of the positive answer in `answer`, or a refusal as a negative number. */
int uds_clear_codes(struct dtc_store *store, struct faults *faults, const uint8_t *request,
                    int length, uint8_t *answer);
int uds_read_codes(const struct dtc_store *store, const uint8_t *request, int length,
                   uint8_t *answer, int room);

#endif
