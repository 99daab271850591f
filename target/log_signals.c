#include "target/log_signals.h"

#include <errno.h>
#include <string.h>

int log_columns_find(const struct mdf_read_group *ticks, struct log_columns *c, struct err *e)
{
    memset(c, 0, sizeof *c);
    c->tick = mdf_read_channel_find(ticks, "tick");
    c->release = mdf_read_channel_find(ticks, "release");
    c->wake = mdf_read_channel_find(ticks, "wake_ns");
    c->end = mdf_read_channel_find(ticks, "end_ns");
    c->steps = mdf_read_channel_find(ticks, "steps");
    c->skipped = mdf_read_channel_find(ticks, "skipped");
    c->cause = mdf_read_channel_find(ticks, "cause");
    c->dropped = mdf_read_channel_find(ticks, "dropped");
    if (!c->tick || !c->release || !c->wake || !c->end || !c->steps || !c->skipped || !c->cause ||
        !c->dropped || signal_count > LOG_SIGNALS_MAX)
        return err_set(e, -EINVAL, "the log has no ticks of a run: was it written by skidpad run?");
    for (size_t i = 0; i < signal_count; i++) {
        c->signal[i] = mdf_read_channel_find(ticks, signal_table[i].name);
        double neutral;
        if (!c->signal[i] && !c->missing && !signal_neutral(signal_table[i].name, &neutral))
            c->missing = signal_table[i].name;
    }
    return 0;
}

void log_signals(const struct log_columns *c, const void *record, struct signals *out)
{
    for (size_t i = 0; i < signal_count; i++) {
        char *at = (char *)out + signal_table[i].offset;
        signal_f64 f = 0.0;
        signal_i64 l = 0;
        signal_u32 u = 0;
        signal_i32 n = 0;
        if (!c->signal[i]) {
            double neutral = 0.0;
            (void)signal_neutral(signal_table[i].name, &neutral);
            signal_store(out, i, neutral);
            continue;
        }
        switch (signal_table[i].type) {
        case SIGNAL_i64:
            l = mdf_read_int64(c->signal[i], record);
            memcpy(at, &l, sizeof l);
            break;
        case SIGNAL_u32:
            u = (uint32_t)mdf_read_uint64(c->signal[i], record);
            memcpy(at, &u, sizeof u);
            break;
        case SIGNAL_i32:
            n = (int32_t)mdf_read_int64(c->signal[i], record);
            memcpy(at, &n, sizeof n);
            break;
        case SIGNAL_f64:
        default:
            f = mdf_read_number(c->signal[i], record);
            memcpy(at, &f, sizeof f);
            break;
        }
    }
}
