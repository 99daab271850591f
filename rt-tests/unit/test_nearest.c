#include "shared/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const keys[] = {"mass_kg", "wheelbase_m", "speed_kmh", "track_m", "x", NULL};
enum { KEYS = sizeof keys / sizeof keys[0] };

static void distance_counts_single_letter_mistakes(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("brake", "brake"), 0);
    assert_int_equal(nearest_distance("brake", "brakes"), 1);
    assert_int_equal(nearest_distance("brake", "bake"), 1);
    assert_int_equal(nearest_distance("brake", "broke"), 1);
    assert_int_equal(nearest_distance("brake", ""), 5);
    assert_int_equal(nearest_distance("", "abc"), 3);
    assert_int_equal(nearest_distance("kitten", "sitting"), 3);
}

static void swapped_neighbours_are_one_mistake(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("wheel", "whele"), 1);
    assert_int_equal(nearest_distance("ab", "ba"), 1);
}

static void distance_ends_at_63_letters(void **state)
{
    (void)state;
    char a[200], b[200];
    memset(a, 'a', sizeof a - 1);
    memset(b, 'a', sizeof b - 1);
    a[199] = b[199] = '\0';
    b[150] = 'b';
    assert_int_equal(nearest_distance(a, b), 0);
    assert_int_equal(nearest_distance(a, ""), 63);
}

static void misspelt_word_finds_its_key(void **state)
{
    (void)state;
    assert_string_equal(nearest_word("mass_kgs", keys, KEYS), "mass_kg");
    assert_string_equal(nearest_word("weelbase_m", keys, KEYS), "wheelbase_m");
    assert_string_equal(nearest_word("tarck_m", keys, KEYS), "track_m");
    assert_string_equal(nearest_word("MASS_KG", keys, KEYS), "mass_kg");
}

static void forgotten_unit_finds_its_key(void **state)
{
    (void)state;
    assert_string_equal(nearest_word("mass", keys, KEYS), "mass_kg");
    assert_string_equal(nearest_word("speed", keys, KEYS), "speed_kmh");
}

static void another_word_finds_nothing(void **state)
{
    (void)state;
    assert_null(nearest_word("colour", keys, KEYS));
    assert_null(nearest_word("y", keys, KEYS));
    assert_null(nearest_word("", keys, KEYS));
    assert_null(nearest_word("mass", keys, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_single_letter_mistakes),
        cmocka_unit_test(swapped_neighbours_are_one_mistake),
        cmocka_unit_test(distance_ends_at_63_letters),
        cmocka_unit_test(misspelt_word_finds_its_key),
        cmocka_unit_test(forgotten_unit_finds_its_key),
        cmocka_unit_test(another_word_finds_nothing),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
