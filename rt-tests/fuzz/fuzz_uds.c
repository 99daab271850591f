/* Any requests at any time to the stand-in's diagnosis: answers are answers to what was asked, and
 * whatever a tester writes leaves a unit that drives. The input is a row of requests: a byte of
 * time (100 ms each; bit 7: to all units, bit 6: with security access), a byte of length, its
 * bytes. */
#include "shared/base/time.h"
#include "shared/can/uds_client.h"
#include "target/ecu/diag.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void ask(struct diag *d, struct uds_unit *unit, const uint8_t *request, int length,
                bool functional, int64_t now_ns)
{
    static uint8_t answer[ISOTP_DATA];
    struct uds_code list[UDS_CODES];
    int n = uds_server_answer(&d->server, &d->store, unit, request, length, functional, now_ns,
                              answer, ISOTP_DATA);
    expect(n >= 0 && n <= ISOTP_DATA);
    if (n == 0)
        return;
    if (answer[0] == UDS_NEGATIVE)
        expect(n == 3 && answer[1] == request[0] && answer[2] >= 0x10);
    else
        expect(answer[0] == (uint8_t)(request[0] + UDS_POSITIVE));
    if (answer[0] == UDS_READ_CODES + UDS_POSITIVE)
        expect(uds_codes_parse(answer, n, list, UDS_CODES) <= ECU_FAULTS);
    expect(fabs(unit->state->power.yaw_zero_radps) <= unit->params->power.zero_yaw_radps);
    expect(fabs(unit->state->power.acc_y_zero_mps2) <= unit->params->power.zero_acc_mps2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ecu_state state;
    static struct diag d;
    struct ecu_params params;
    struct ecu_rx rx;
    struct ecu_tx tx = {0};
    struct can_msg out[DIAG_FRAMES];
    struct uds_unit unit = {.params = &params, .state = &state, .rx = &rx, .tx = &tx};
    int64_t now_ns = 0;
    ecu_defaults(&params);
    ecu_rx_reset(&rx);
    ecu_reset(&state);
    diag_open(&d, &(struct diag_ids){.request = 0x760, .response = 0x768, .functional = 0x7df});
    state.power.state = ECU_POWER_ON;
    for (size_t at = 0; at + 2 < size;) {
        size_t length = data[at + 1], left = size - at - 2;
        length = length < left ? length : left;
        now_ns += (data[at] & 0x3f) * 100 * NS_PER_MS;
        if (data[at] & 0x40) { /* as if the key had been right */
            d.server.session = UDS_SESSION_EXTENDED;
            d.server.unlocked = 1;
        }
        state.faults.present = state.faults.stored = (uint32_t)(length * 2654435761u);
        ask(&d, &unit, data + at + 2, (int)length, data[at] >> 7, now_ns);
        struct can_msg m = {.id = at % 2 ? 0x760 : 0x7df,
                            .len = (uint8_t)(length < 8 ? length : 8)};
        memcpy(m.data, data + at + 2, m.len);
        expect(diag_take(&d, &m, now_ns));
        (void)diag_cycle(&d, &unit, now_ns, out, DIAG_FRAMES);
        state.power.state = ECU_POWER_ON; /* a reset asked for has been done */
        at += 2 + length;
    }
    return 0;
}
