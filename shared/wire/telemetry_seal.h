/* Seals on packets of telemetry.h.
 *
 * The seal of hellos, challenges, commands, replies and driving is part of their body. It covers
 * header and body up to itself, with the header's packet number and time taken as 0 and without
 * TELEMETRY_SEALED: those are filled in when a packet leaves.
 *
 * All other packets end with a tag that covers every byte before it. Its key is made of the
 * pre-shared key and the number of the run, so whoever has the key can check a packet at once,
 * without having met its sender. That it is no packet of an old run sent again is shown by a
 * challenge; within a run the sender's clock tells old from new. */
#ifndef SKIDPAD_WIRE_TELEMETRY_SEAL_H
#define SKIDPAD_WIRE_TELEMETRY_SEAL_H

#include "shared/wire/seal.h"
#include "shared/wire/telemetry.h"

/* Fills the seal at the end of the body, which is that of h's kind. */
void telemetry_seal(const struct seal_key *key, const struct telemetry_header *h, void *body);
/* The packet has been opened: its lengths are right for its kind. */
bool telemetry_is_sealed(const struct seal_key *key, const struct telemetry_header *h,
                         const void *packet);

/* The key of all tags of a run. */
void telemetry_run_key(const struct seal_key *key, uint64_t run, struct seal_key *run_key);
/* The tag of a packet of these parts; the header says TELEMETRY_SEALED already. */
void telemetry_tag(const struct seal_key *run_key, const struct telemetry_header *h,
                   const void *body, size_t bytes, uint8_t tag[TELEMETRY_TAG]);
/* The packet has been opened, and says TELEMETRY_SEALED. */
bool telemetry_tag_is_right(const struct seal_key *run_key, const void *packet, size_t bytes);

#endif
