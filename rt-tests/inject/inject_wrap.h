/* How a call is wrapped. */
#ifndef RT_TESTS_INJECT_WRAP_H
#define RT_TESTS_INJECT_WRAP_H

#include "rt-tests/inject/inject.h"

/* `next` is the function that would have been called. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    do                                                                                             \
        if (!next)                                                                                 \
            *(void **)&next = inject_next(#name);                                                  \
    while (0)

#define MEET(name)            inject_meet(#name, __builtin_return_address(0), NULL)
#define MEET_ON(name, stream) inject_meet(#name, __builtin_return_address(0), stream)

/* A function that has `result` when it fails. */
#define FAILS(type, name, result, parameters, arguments)                                           \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name);                                                                                \
        return MEET(name) == INJECT_ERROR ? (result) : next arguments;                             \
    }

/* One that may do only a part: `arguments` have `part` in the place of the bytes. */
#define FAILS_SHORT(type, name, parameters, arguments, bytes)                                      \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name);                                                                                \
        enum inject_kind kind = MEET(name);                                                        \
        size_t part = kind == INJECT_SHORT && (bytes) > 1 ? (bytes) / 2 : (bytes);                 \
        return kind == INJECT_ERROR ? -1 : next arguments;                                         \
    }

#endif
