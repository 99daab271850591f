/* Supply and ignition of a bench file: steps by time and by condition, mistakes with their place.
 */
#include "target/scenario/sequence_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct sequence q;

/* Loads; returns the first message, or NULL. The document is closed by the next call. */
static const char *load(const char *text)
{
    static struct cfg_doc *doc;
    cfg_close(doc);
    doc = NULL;
    assert_int_equal(cfg_open_text("b.yaml", text, strlen(text), &doc), 0);
    sequence_load(cfg_root(doc), &q);
    cfg_done(cfg_root(doc));
    return cfg_message_count(doc) ? cfg_message(doc, 0) : NULL;
}

static void without_a_sequence_the_ignition_is_on(void **unused)
{
    (void)unused;
    struct sequence_state s = {0};
    struct signals now = {0};
    assert_null(load("{}\n"));
    assert_true(sequence_update(&q, &s, 1e-3, &now));
    assert_int_equal(now.power_terminal, TERMINAL_ON);
    assert_true(now.power_supply_V == 13.8);
    for (int n = 0; n < 5000; n++)
        assert_false(sequence_update(&q, &s, 1e-3, &now));
    assert_int_equal(now.power_terminal, TERMINAL_ON);
}

static void steps_follow_by_time_and_condition(void **unused)
{
    (void)unused;
    struct sequence_state s = {0};
    struct signals now = {0};
    assert_null(load("sequence:\n"
                     "  - {ignition: off, supply_V: 12.5, for_s: 0.5}\n"
                     "  - {ignition: on, until: vx_mps > 2 m/s}\n"
                     "  - {supply_V: 8, for_s: 0.1}\n"
                     "  - {ignition: accessory}\n"));
    for (int n = 0; n < 3000; n++) {
        now.vx_mps = n > 1000 ? 3.0 : 0.0;
        bool began = sequence_update(&q, &s, 1e-3, &now);
        int step = n < 500 ? 0 : n <= 1000 ? 1 : n < 1101 ? 2 : 3;
        assert_int_equal(s.step, step);
        assert_int_equal(began, n == 0 || n == 500 || n == 1001 || n == 1101);
        assert_int_equal(now.power_terminal, step == 0   ? TERMINAL_OFF
                                             : step == 3 ? TERMINAL_ACCESSORY
                                                         : TERMINAL_ON);
        assert_true(now.power_supply_V == (step < 2 ? 12.5 : 8.0));
    }
}

static void mistakes_have_their_place(void **unused)
{
    (void)unused;
    assert_non_null(strstr(load("sequence: [{ignition: maybe}]\n"), "accessory"));
    assert_non_null(
        strstr(load("sequence:\n  - {ignition: off}\n  - {ignition: on}\n"), "b.yaml:2"));
    assert_non_null(strstr(load("sequence: [{until: vx_mps >}]\n"), "until"));
    assert_non_null(strstr(load("sequence: [{igniton: on}]\n"), "ignition"));
    assert_non_null(load("sequence: []\n"));
    assert_non_null(load("sequence: [{supply_V: 90}]\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_sequence_the_ignition_is_on),
        cmocka_unit_test(steps_follow_by_time_and_condition),
        cmocka_unit_test(mistakes_have_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
