/* Any text as a .tir file: a message, or a tyre that stays finite wherever it is driven. */
#include "target/model/tyre/tyre.h"
#include "target/model/tyre/tyre_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void expect_finite(const void *doubles, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(double)) {
        double x;
        memcpy(&x, (const char *)doubles + i, sizeof x);
        expect(x - x == 0.0);
    }
}

static void drive(const struct tyre_model *m)
{
    static const double slips[] = {0.0, 0.01, -0.1, 1.0, -1e3, 1e12};
    const struct tyre_model *const four[WHEELS] = {m, m, m, m};
    struct tyre_set set;
    tyre_set_init(&set, four, TYRE_SIDES_MIRROR);
    for (int n = 0; n < 36; n++) {
        struct tyre_in in;
        struct tyre_out out;
        for (int i = 0; i < WHEELS; i++) {
            in.load_N[i] = i * 0.9 * m->nominal_load_N;
            in.kappa[i] = slips[n % 6];
            in.tan_alpha[i] = slips[n / 6];
            in.gamma_rad[i] = 0.1 * (i - 1);
            in.vx_mps[i] = 30.0 * (i - 1);
            in.pressure_Pa[i] = n % 3 * 1e5;
            in.friction[i] = n % 5 * 0.3;
        }
        tyre_forces(&set, &in, &out);
        expect_finite(&out, sizeof out);
        for (int i = 0; i < WHEELS; i++)
            expect(out.relax_x_m[i] > 0.0 && out.relax_y_m[i] > 0.0 && out.stiff_x_N[i] >= 0.0 &&
                   out.stiff_y_N[i] >= 0.0 && out.rolling_Nm[i] >= 0.0);
        expect(out.fx_N[FL] == 0.0 && out.fy_N[FL] == 0.0); /* no load */

        double load[WHEELS], stiffness[WHEELS], damping[WHEELS], radius[WHEELS];
        const double x[WHEELS] = {-0.1, 0.001, 0.05, 0.5}, v[WHEELS] = {1.0, -5.0, 0.1, 0.0};
        tyre_load(&set, x, v, in.vx_mps, in.pressure_Pa, load, stiffness, damping);
        tyre_rolling_radius(&set, load, in.vx_mps, in.pressure_Pa, radius);
        expect_finite(load, sizeof load);
        expect_finite(radius, sizeof radius);
        for (int i = 0; i < WHEELS; i++)
            expect(load[i] >= 0.0 && stiffness[i] >= 0.0 && radius[i] > 0.0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tyre_model m;
    struct tir_report report = {0};
    struct err e = {""};
    int rc = tyre_model_read_text("f.tir", (const char *)data, size, &m, &report, &e);
    expect((rc == 0) == (report.errors == 0));
    expect((rc == 0) == (e.text[0] == '\0'));
    for (size_t i = 0; i < report.count; i++)
        expect(strpbrk(report.message[i].text, "\r\n\t\033") == NULL);
    if (rc == 0)
        drive(&m);
    return 0;
}
