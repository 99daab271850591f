/* How records and events of a run stand in a log; for the target's own and for the host's. */
#ifndef SKIDPAD_WIRE_LOG_CHANNELS_H
#define SKIDPAD_WIRE_LOG_CHANNELS_H

#include "shared/wire/mdf_write.h"
#include "shared/wire/record.h"

enum { LOG_TICK_CHANNELS = 8, LOG_EVENT_CHANNELS = 9 };

/* The head of a struct loop_record, before its signals; a struct telemetry_event. */
extern const struct mdf_channel log_tick_channels[LOG_TICK_CHANNELS];
extern const struct mdf_channel log_event_channels[LOG_EVENT_CHANNELS];

enum mdf_type log_channel_type(enum signal_type type);

#endif
