#include "shared/base/shortest.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void numbers_have_their_usual_form(void **state)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-17.0, "-17"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {1e-7, "1e-07"},
        {999999999999999.0, "999999999999999"},
        {1e15, "1e+15"},
        {9007199254740993.0, "9007199254740992"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SHORTEST_SIZE];
        assert_int_equal(shortest_double(cases[i].x, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void floats_need_fewer_digits(void **state)
{
    char text[SHORTEST_SIZE];
    (void)state;
    assert_int_equal(shortest_float(0.1F, text), 3);
    assert_string_equal(text, "0.1");
    (void)shortest_float(16777216.0F, text);
    assert_string_equal(text, "16777216");
    (void)shortest_float(FLT_MAX, text);
    assert_string_equal(text, "3.4028235e+38");
    (void)shortest_float(1e-45F, text);
    assert_string_equal(text, "1e-45");
    (void)shortest_float(NAN, text);
    assert_string_equal(text, "nan");
    (void)shortest_float(-INFINITY, text);
    assert_string_equal(text, "-inf");
    (void)shortest_float(-0.0F, text);
    assert_string_equal(text, "-0");
}

/* Bits of every size and sign, by a xorshift generator. */
static void all_bits_read_back(void **state)
{
    uint64_t bits = 88172645463325252U;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[SHORTEST_SIZE];
        double x, back;
        float y, back_y;
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            assert_true(shortest_double(x, text) < SHORTEST_SIZE);
            back = strtod(text, NULL);
            assert_memory_equal(&back, &x, sizeof x);
        }
        memcpy(&y, &bits, sizeof y);
        if (isfinite(y)) {
            (void)shortest_float(y, text);
            back_y = strtof(text, NULL);
            assert_memory_equal(&back_y, &y, sizeof y);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_their_usual_form),
        cmocka_unit_test(floats_need_fewer_digits),
        cmocka_unit_test(all_bits_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
