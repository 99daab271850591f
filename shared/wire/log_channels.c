#include "shared/wire/log_channels.h"

#include "shared/wire/telemetry.h"

#define TICK(n, u, t, field, text)                                                                 \
    {                                                                                              \
        .name = n, .unit = u, .type = t, .offset = offsetof(struct loop_record, field),            \
        .comment = text                                                                            \
    }
#define EVENT(n, u, t, field, text)                                                                \
    {                                                                                              \
        .name = n, .unit = u, .type = t, .offset = offsetof(struct loop_event, field),             \
        .comment = text                                                                            \
    }

const struct mdf_channel log_tick_channels[LOG_TICK_CHANNELS] = {
    {.name = "release",
     .unit = "s",
     .type = MDF_I64,
     .offset = offsetof(struct loop_record, release_ns),
     .comment = "release of the tick since the first one",
     .master = true,
     .factor = 1e-9},
    TICK("tick", "1", MDF_I64, tick, "number of the release"),
    TICK("wake_ns", "ns", MDF_I64, wake_ns, "wake-up since the first release"),
    TICK("end_ns", "ns", MDF_I64, end_ns, "end of the tick since the first release"),
    TICK("steps", "1", MDF_U32, steps, "steps of the plant in this tick"),
    TICK("skipped", "1", MDF_U32, skipped, "releases skipped before this tick"),
    TICK("cause", "1", MDF_U32, cause, "cause of the safe state; 0 is none"),
    TICK("dropped", "1", MDF_U32, dropped, "records lost before this one"),
};

const struct mdf_channel log_event_channels[LOG_EVENT_CHANNELS] = {
    {.name = "release",
     .unit = "s",
     .type = MDF_I64,
     .offset = offsetof(struct loop_event, release_ns),
     .comment = "release of the tick since the first one",
     .master = true,
     .factor = 1e-9},
    EVENT("tick", "1", MDF_I64, tick, "number of the release"),
    EVENT("kind", "1", MDF_I32, kind,
          "0 missed, 1 skipped, 2 fault, 3 safe state, 4 reset, 5 log full, 6 provoked, "
          "7 fault begins, 8 fault ends, 9 bus, 10 real time left, 11 set-up changed, 12 ignition, "
          "13 driver, 14 request"),
    EVENT("value", "1", MDF_I64, value, "what the kind counts"),
    EVENT("late_ns", "ns", MDF_I64, late_ns, "end after the deadline"),
    EVENT("wake_ns", "ns", MDF_I64, wake_ns, "wake-up since the first release"),
    EVENT("end_ns", "ns", MDF_I64, end_ns, "end of the tick since the first release"),
    EVENT("phase", "1", MDF_I32, phase,
          "longest part: 0 receive, 1 command, 2 step, 3 sense, 4 send, 5 none"),
    {.name = "text",
     .type = MDF_TEXT,
     .offset = offsetof(struct telemetry_event, text),
     .bytes = TELEMETRY_TEXT,
     .comment = "cause, fault, who asked, or what there is to say"},
};

enum mdf_type log_channel_type(enum signal_type type)
{
    static const enum mdf_type types[] = {[SIGNAL_f64] = MDF_F64,
                                          [SIGNAL_i64] = MDF_I64,
                                          [SIGNAL_u32] = MDF_U32,
                                          [SIGNAL_i32] = MDF_I32};
    return types[type];
}
