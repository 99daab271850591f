/* UTF-8: what is valid, and how a field becomes it. */
#include "shared/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void characters_of_every_length_are_known(void **unused)
{
    (void)unused;
    assert_int_equal(utf8_character("a", 1), 1);
    assert_int_equal(utf8_character("\xc3\xa4z", 3), 2);        /* U+00E4 */
    assert_int_equal(utf8_character("\xe2\x82\xac", 3), 3);     /* U+20AC */
    assert_int_equal(utf8_character("\xf0\x9f\x9a\x97", 4), 4); /* U+1F697 */
    assert_int_equal(utf8_character("\xf4\x8f\xbf\xbf", 4), 4); /* the last, U+10FFFF */
    assert_int_equal(utf8_character("\xed\x9f\xbf", 3), 3);     /* before the surrogates */
    assert_int_equal(utf8_character("", 0), 0);
}

static void what_is_not_utf8_is_told(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {
        "\x80",             /* goes on with nothing */
        "\xc3z",            /* does not go on */
        "\xc0\x80",         /* too long for U+0000 */
        "\xe0\x9f\xbf",     /* too long */
        "\xf0\x8f\xbf\xbf", /* too long */
        "\xed\xa0\x80",     /* half of a surrogate pair */
        "\xf4\x90\x80\x80", /* beyond U+10FFFF */
        "\xff",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(utf8_character(wrong[i], strlen(wrong[i])), 0);
    assert_int_equal(utf8_character("\xe2\x82\xac", 2), 0); /* not beyond the end */
}

/* The field of 8 bytes before and after. */
static void expect_field(const char before[8], const char after[8])
{
    char field[8];
    memcpy(field, before, sizeof field);
    utf8_repair_field(field, sizeof field);
    assert_memory_equal(field, after, sizeof field);
}

static void a_field_becomes_a_text_that_ends(void **unused)
{
    (void)unused;
    expect_field("short\0xx", "short\0\0\0"); /* nothing stray behind the end */
    expect_field("7 bytes\0", "7 bytes\0");
    expect_field("8 bytes!", "8 bytes\0");
    expect_field("12345\xc3\xa4!", "12345\xc3\xa4\0"); /* just fits */
    expect_field("123456\xc3\xa4", "123456\0\0");      /* a character is not cut in two */
    expect_field("12345\xe2\x82\xac", "12345\0\0\0");  /* nor is one of three bytes */
    expect_field("a\xff"
                 "b\x80"
                 "c\xc3"
                 "d\0",
                 "a?b?c?d\0");
    char one = 'x';
    utf8_repair_field(&one, 1);
    assert_int_equal(one, 0);
    utf8_repair_field(&one, 0); /* touches nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_of_every_length_are_known),
        cmocka_unit_test(what_is_not_utf8_is_told),
        cmocka_unit_test(a_field_becomes_a_text_that_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
