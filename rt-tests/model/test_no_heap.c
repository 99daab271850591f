/* After the start nothing asks for memory: malloc and its kin fail here while a car drives, and the
 * drive is the same as with them. */
#include "rt-tests/support/cars.h"
#include "target/offline.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* volatile: compilers take malloc for a function that looks at no variable of ours. */
static volatile bool forbidden;
static volatile int asked; /* while forbidden */

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer owns malloc, but tells. gcc does not come with the header of this function. */
int __sanitizer_install_malloc_and_free_hooks(/* NOLINT(bugprone-reserved-identifier) */
                                              void (*malloc_hook)(const volatile void *, size_t),
                                              void (*free_hook)(const volatile void *));

static void on_malloc(const volatile void *p, size_t size)
{
    (void)p;
    (void)size;
    asked += forbidden;
}

static void on_free(const volatile void *p)
{
    (void)p;
}

static int watch(void **state)
{
    (void)state;
    return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0 ? 0 : -1;
}
#else
/* These take the place of the C library's in the whole program; its own are behind other names.
 * NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool refuse(void)
{
    asked += forbidden;
    if (forbidden)
        errno = ENOMEM;
    return forbidden;
}

void *malloc(size_t size)
{
    return refuse() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    return refuse() ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : __libc_memalign(alignment, size);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */

static int watch(void **state)
{
    (void)state;
    return 0;
}
#endif

enum { STEPS = 10000 };

static uint64_t drive(const char *scenario, const char *car, int integrator, bool forbid)
{
    static struct offline run;
    struct offline_options options = {.duration_s = -1.0, .integrator = integrator, .vehicle = car};
    assert_int_equal(offline_open(scenario, &options, &run), 0);
    forbidden = forbid;
    for (int n = 0; n < STEPS; n++)
        offline_step(&run);
    forbidden = false;
    uint64_t hash = offline_hash(&run);
    offline_close(&run);
    return hash;
}

static void the_watch_sees_malloc(void **state)
{
    (void)state;
    void *volatile p;
    asked = 0;
    forbidden = true;
    p = malloc(16);
    forbidden = false;
    assert_int_equal(asked, 1);
    free(p);
}

/* Turn, locked wheels, stop, hold; gears, wind and split friction in the second scenario. */
static void driving_needs_no_memory(void **state)
{
    static const char *const scenarios[] = {"config/scenarios/brake_in_turn.yaml",
                                            "rt-tests/golden/hard.yaml"};
    const int *integrator = *state;
    struct cars cars;
    cars_find(&cars);
#ifdef __SANITIZE_ADDRESS__
    cars.count = 1; /* slow there, and the code is the same */
#endif
    for (int c = 0; c < cars.count; c++) {
        for (int k = 0; k < 2; k++) {
            asked = 0;
            uint64_t without = drive(scenarios[k], cars.path[c], *integrator, true);
            assert_int_equal(asked, 0);
            assert_int_equal(drive(scenarios[k], cars.path[c], *integrator, false), without);
        }
    }
}

int main(void)
{
    static int integrators[] = {MODEL_SEMI_IMPLICIT, MODEL_FORWARD};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_watch_sees_malloc),
        {"semi_implicit_needs_no_memory", driving_needs_no_memory, NULL, NULL, &integrators[0]},
        {"forward_needs_no_memory", driving_needs_no_memory, NULL, NULL, &integrators[1]},
    };
    return cmocka_run_group_tests(tests, watch, NULL);
}
