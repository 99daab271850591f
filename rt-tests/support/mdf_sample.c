#include "rt-tests/support/mdf_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct mdf_channel signal_channels[] = {
    {.name = "t", .unit = "s", .type = MDF_F64, .master = true},
    {.name = "speed",
     .unit = "m/s",
     .comment = "forward velocity",
     .type = MDF_F64,
     .offset = offsetof(struct mdf_sample_signal, speed_mps)},
    {.name = "number", .type = MDF_U64, .offset = offsetof(struct mdf_sample_signal, number)},
    {.name = "gear", .type = MDF_I32, .offset = offsetof(struct mdf_sample_signal, gear)},
    {.name = "fault", .type = MDF_U32, .offset = offsetof(struct mdf_sample_signal, fault)},
};

static const struct mdf_channel event_channels[] = {
    {.name = "t", .unit = "s", .type = MDF_I64, .master = true, .factor = 1e-9},
    {.name = "number", .type = MDF_U32, .offset = offsetof(struct mdf_sample_event, number)},
    {.name = "what",
     .type = MDF_TEXT,
     .offset = offsetof(struct mdf_sample_event, what),
     .bytes = sizeof((struct mdf_sample_event *)0)->what},
};

const struct mdf_group mdf_sample_groups[MDF_SAMPLE_GROUPS] = {
    {.name = "signals",
     .comment = "every tick",
     .record_bytes = sizeof(struct mdf_sample_signal),
     .channels = signal_channels,
     .channel_count = sizeof signal_channels / sizeof signal_channels[0]},
    {.name = "events",
     .record_bytes = sizeof(struct mdf_sample_event),
     .channels = event_channels,
     .channel_count = sizeof event_channels / sizeof event_channels[0]},
};

static const struct mdf_property properties[] = {
    {"car", "small <front> & \"rear\""}, {"back end", "virtual"}, {"bell", "a\ab"}};

static const char configuration[] = "period_ms: 1\ncar: small\n";
static const struct mdf_attachment attachments[] = {
    {.name = "bench.yaml",
     .mime = "application/yaml",
     .data = configuration,
     .bytes = sizeof configuration - 1},
    {.name = "empty", .data = "", .bytes = 0},
};

struct mdf_sample_signal mdf_sample_signal(uint64_t number)
{
    return (struct mdf_sample_signal){
        .time_s = 0.001 * (double)number, .speed_mps = 20.0, .number = number, .gear = -1};
}

struct mdf_sample_event mdf_sample_event(uint32_t number)
{
    return (struct mdf_sample_event){
        .time_ns = INT64_C(3000000) * number, .number = number, .what = "late"};
}

struct mdf_file mdf_sample_file(const char *path)
{
    return (struct mdf_file){.path = path,
                             .comment = "a test",
                             .start_ns = INT64_C(1700000000123456789),
                             .properties = properties,
                             .property_count = sizeof properties / sizeof properties[0],
                             .attachments = attachments,
                             .attachment_count = sizeof attachments / sizeof attachments[0],
                             .groups = mdf_sample_groups,
                             .group_count = MDF_SAMPLE_GROUPS};
}

int mdf_sample_write(struct mdf_writer *w, uint64_t first, uint64_t signals)
{
    int result = 0;
    for (uint64_t i = first; i < first + signals; i++) {
        const struct mdf_sample_signal s = mdf_sample_signal(i);
        int rc = mdf_write(w, MDF_SAMPLE_SIGNALS, &s, 1);
        result = result ? result : rc;
        if (i % 3 == 2) {
            const struct mdf_sample_event e = mdf_sample_event((uint32_t)(i / 3));
            rc = mdf_write(w, MDF_SAMPLE_EVENTS, &e, 1);
            result = result ? result : rc;
        }
    }
    return result;
}

void mdf_sample_path(char *path)
{
    static const char pattern[] = "/tmp/skidpad-mdf-XXXXXX";
    memcpy(path, pattern, sizeof pattern);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}
