/* Seals on packets of telemetry.h. A seal covers header and body up to itself, with the header's
 * packet number and time taken as 0: those are filled in when a packet leaves. */
#ifndef SKIDPAD_WIRE_TELEMETRY_SEAL_H
#define SKIDPAD_WIRE_TELEMETRY_SEAL_H

#include "shared/wire/seal.h"
#include "shared/wire/telemetry.h"

/* Fills the seal at the end of the body, which is that of h's kind. */
void telemetry_seal(const struct seal_key *key, const struct telemetry_header *h, void *body);
/* The packet has been opened: its lengths are right for its kind. */
bool telemetry_is_sealed(const struct seal_key *key, const struct telemetry_header *h,
                         const void *packet);

#endif
