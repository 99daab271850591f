/* Comparison of numbers with a stated tolerance, for tests with cmocka. */
#ifndef SKIDPAD_TESTS_NEAR_H
#define SKIDPAD_TESTS_NEAR_H

/* |is - want| <= tolerance; NaN fails. The message gives the expression, both numbers and place. */
#define assert_near(is, want, tolerance) near_check(is, want, tolerance, #is, __FILE__, __LINE__)
/* |is - want| <= share |want| */
#define assert_ratio(is, want, share) near_ratio(is, want, share, #is, __FILE__, __LINE__)
/* is < bound; NaN fails. */
#define assert_below(is, bound) near_below(is, bound, #is, __FILE__, __LINE__)
/* is > bound; NaN fails. */
#define assert_above(is, bound) near_above(is, bound, #is, __FILE__, __LINE__)

void near_check(double is, double want, double tolerance, const char *what, const char *file,
                int line);
void near_ratio(double is, double want, double share, const char *what, const char *file, int line);
void near_below(double is, double bound, const char *what, const char *file, int line);
void near_above(double is, double bound, const char *what, const char *file, int line);

#endif
