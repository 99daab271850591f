/* Records back in order, whatever the network does. */
#include "host/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t take(struct window *w)
{
    uint64_t value;
    const void *record = window_peek(w);
    assert_non_null(record);
    memcpy(&value, record, sizeof value);
    window_pop(w);
    return value;
}

static enum window_verdict put(struct window *w, uint64_t number)
{
    return window_put(w, number, &number);
}

static void open_window(struct window *w)
{
    assert_int_equal(window_init(w, sizeof(uint64_t)), 0);
}

static void what_comes_in_any_order_leaves_in_order(void **state)
{
    (void)state;
    struct window w;
    uint64_t number[1000];
    unsigned random = 1;
    open_window(&w);
    for (uint64_t i = 0; i < 1000; i++)
        number[i] = i;
    for (size_t i = 999; i > 0; i--) { /* shuffled, always alike */
        random = random * 1664525u + 1013904223u;
        size_t k = random % (i + 1);
        uint64_t t = number[i];
        number[i] = number[k];
        number[k] = t;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(put(&w, number[i]), WINDOW_KEPT);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(take(&w), i);
    assert_null(window_peek(&w));
    window_free(&w);
}

static void what_comes_twice_is_kept_once(void **state)
{
    (void)state;
    struct window w;
    open_window(&w);
    assert_int_equal(put(&w, 1), WINDOW_KEPT);
    assert_int_equal(put(&w, 1), WINDOW_DUPLICATE);
    assert_int_equal(put(&w, 0), WINDOW_KEPT);
    assert_int_equal(take(&w), 0);
    assert_int_equal(put(&w, 0), WINDOW_DUPLICATE);
    assert_int_equal(take(&w), 1);
    assert_null(window_peek(&w));
    window_free(&w);
}

static void gaps_are_named(void **state)
{
    (void)state;
    struct window w;
    uint64_t first = 0;
    open_window(&w);
    assert_int_equal(window_missing(&w, 64, &first), 0); /* nothing is known yet */
    (void)put(&w, 0);
    (void)put(&w, 5);
    assert_int_equal(window_missing(&w, 64, &first), 4);
    assert_int_equal(first, 1);
    assert_int_equal(window_missing(&w, 2, &first), 2);
    w.end = 9; /* the target says that it has sent so many */
    for (uint64_t i = 1; i < 5; i++)
        (void)put(&w, i);
    assert_int_equal(window_missing(&w, 64, &first), 3);
    assert_int_equal(first, 6);
    window_free(&w);
}

static void what_is_too_far_ahead_is_missing_later(void **state)
{
    (void)state;
    struct window w;
    uint64_t first = 0;
    open_window(&w);
    assert_int_equal(put(&w, WINDOW_SLOTS), WINDOW_TOO_FAR);
    assert_int_equal(put(&w, WINDOW_SLOTS - 1), WINDOW_KEPT);
    assert_int_equal(window_missing(&w, 64, &first), 64);
    assert_int_equal(first, 0);
    for (uint64_t i = 0; i + 1 < WINDOW_SLOTS; i++)
        assert_int_equal(put(&w, i), WINDOW_KEPT);
    for (uint64_t i = 0; i < WINDOW_SLOTS; i++)
        assert_int_equal(take(&w), i);
    assert_int_equal(window_missing(&w, 64, &first), 1);
    assert_int_equal(first, WINDOW_SLOTS);
    window_free(&w);
}

static void what_is_gone_is_passed_over(void **state)
{
    (void)state;
    struct window w;
    open_window(&w);
    (void)put(&w, 3);
    assert_int_equal(window_skip(&w, 10), 3); /* up to what is there */
    assert_int_equal(take(&w), 3);
    assert_int_equal(window_skip(&w, 10), 0); /* nothing is known to be missing */
    (void)put(&w, 3 + 100 * WINDOW_SLOTS);
    assert_int_equal(window_skip(&w, 50 * WINDOW_SLOTS), 50 * WINDOW_SLOTS - 4);
    assert_int_equal(w.next, 50 * WINDOW_SLOTS);
    assert_int_equal(window_skip(&w, 5), 0);
    w.end = UINT64_MAX; /* whoever says so: it must not take for ever */
    assert_true(window_skip(&w, UINT64_MAX) > 0);
    window_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_in_any_order_leaves_in_order),
        cmocka_unit_test(what_comes_twice_is_kept_once),
        cmocka_unit_test(gaps_are_named),
        cmocka_unit_test(what_is_too_far_ahead_is_missing_later),
        cmocka_unit_test(what_is_gone_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
