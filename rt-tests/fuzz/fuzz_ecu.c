/* Any bytes as a unit's parameter file: parameters with which the unit runs on any input, or
 * messages. */
#include "target/ecu/ecu_load.h"

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

/* Frames made of the bytes; what is sent is always finite and never more than the driver's. */
static void drive(const struct ecu_params *p, const uint8_t *data, size_t size)
{
    static struct ecu_state s;
    struct ecu_rx rx;
    struct ecu_tx tx;
    ecu_rx_reset(&rx);
    ecu_reset(&s);
    for (int n = 0; n < 200; n++) {
        for (int k = 0; k < ECU_SOURCES; k++) {
            rx.source[k].frames++;
            rx.source[k].time_ns = n * ECU_CYCLE_NS;
        }
        for (int i = 0; i < ECU_WHEELS; i++) {
            rx.edges[i] = fmod(rx.edges[i] + data[(size_t)(n * 4 + i) % size] % 4, 256.0);
            rx.edge_us[i] = fmod(5000.0 * n + i, 65536.0);
        }
        rx.master_Pa = 1e5 * data[(size_t)n % size];
        rx.brake_switch = rx.master_Pa > 0.0;
        rx.acc_x_mps2 = -0.05 * data[(size_t)(n + 1) % size];
        ecu_step(p, &s, &rx, &tx, n * ECU_CYCLE_NS);
        for (int i = 0; i < ECU_WHEELS; i++)
            expect(tx.pressure_Pa[i] >= 0.0 && tx.pressure_Pa[i] <= rx.master_Pa);
        expect(isfinite(tx.reference_mps) && tx.reference_mps >= 0.0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ecu_params p;
    struct cfg_doc *doc = NULL;
    int bad = ecu_load_text("f.yaml", (const char *)data, size, &p, NULL, &doc);
    expect(doc != NULL);
    expect((bad == 0) == cfg_ok(doc));
    if (bad == 0 && size > 0)
        drive(&p, data, size);
    cfg_close(doc);
    return 0;
}
