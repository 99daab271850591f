#include "shared/wire/record.h"

const char *loop_phase_name(int phase)
{
    static const char *const names[] = {"receive", "command", "step", "sense", "send"};
    return phase >= 0 && phase < LOOP_PHASES ? names[phase] : "none";
}

const char *loop_cause_name(uint32_t cause)
{
    static const char *const names[] = {"none",
                                        "missed deadlines in a row",
                                        "model state not finite",
                                        "operator stop",
                                        "the unit is silent",
                                        "the unit's frames are wrong",
                                        "the watchdog has acted"};
    return cause < LOOP_CAUSES ? names[cause] : "unknown";
}

const char *loop_event_name(int kind)
{
    static const char *const names[] = {
        "missed deadline", "skipped releases", "model fault",  "safe state", "reset",
        "log ring full",   "provoked delay",   "fault begins", "fault ends", "bus",
        "real time left",  "set-up changed",   "ignition",     "driver",     "request"};
    return kind >= 0 && kind < LOOP_EVENTS ? names[kind] : "unknown";
}

const char *loop_event_word(int kind)
{
    static const char *const words[] = {"missed",  "skipped",  "fault",    "safe",      "reset",
                                        "dropped", "provoked", "fault on", "fault off", "link",
                                        "switch",  "setup",    "power",    "driver",    "request"};
    return kind >= 0 && kind < LOOP_EVENTS ? words[kind] : "unknown";
}

const char *loop_driver_name(int64_t who)
{
    static const char *const names[] = {"the scenario drives", "a person drives",
                                        "the person's input is lost: the car is brought to rest"};
    return who >= 0 && who < LOOP_DRIVERS ? names[who] : "unknown";
}
