/* Any text as a DBC file: a message, or a database whose signals can be coded. */
#include "shared/can/codec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void check_signal(const struct dbc_message *m, const struct dbc_signal *s)
{
    struct can_code code;
    struct can_mux mux;
    uint8_t frame[CAN_MSG_DATA] = {0x5a, 0xff, 0x01}, before[CAN_MSG_DATA];
    int rc = code_compile(m, s, &code);
    expect((rc == 0) == s->fits);
    expect(s->factor != 0.0 && s->switch_index < (int)m->signal_count);
    expect(s->name[0] != '\0' && strlen(s->unit) < DBC_BYTES_MAX);
    bool there = mux_compile(m, s, &mux) == 0;
    if (there && mux.count > 0) {
        mux_select(&mux, frame);
        (void)mux_present(&mux, frame);
    }
    if (rc)
        return;
    memcpy(before, frame, sizeof frame);
    uint64_t raw = code_get_raw(&code, frame);
    code_put_raw(&code, frame, raw);
    expect(memcmp(before, frame, sizeof frame) == 0);
    double value = code_get(&code, frame);
    (void)code_put(&code, frame, value);
    (void)code_put(&code, frame, 1e300);
    (void)code_put_wrapped(&code, frame, value);
    (void)dbc_value_text(s, code_get_int(&code, frame));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dbc dbc;
    struct err e = {""};
    int rc = dbc_parse("f.dbc", (const char *)data, size, &dbc, &e);
    expect((rc == 0) == (e.text[0] == '\0'));
    if (rc) {
        expect(dbc.memory == NULL && strncmp(e.text, "f.dbc:", 6) == 0);
        return 0;
    }
    for (size_t i = 0; i < dbc.message_count; i++) {
        const struct dbc_message *m = &dbc.messages[i];
        expect(dbc_message_by_id(&dbc, m->id) == m);
        for (size_t k = 0; k < m->signal_count; k++) {
            check_signal(m, &m->signals[k]);
            expect(dbc_find_signal(m, m->signals[k].name, NULL) == &m->signals[k]);
        }
        (void)dbc_attribute(&dbc, m, NULL, "GenMsgCycleTime", NULL, NULL);
    }
    for (size_t i = 0; i < dbc.warning_count && i < DBC_WARNINGS; i++)
        expect(strncmp(dbc.warnings[i], "f.dbc:", 6) == 0);
    (void)dbc_find_message(&dbc, "Nobody", &e);
    dbc_free(&dbc);
    return 0;
}
