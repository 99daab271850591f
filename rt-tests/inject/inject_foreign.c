/* Calls of other libraries whose failure a program must notice. Their arguments are pointers and
 * whole numbers, which are handed on as they came. */
#include "rt-tests/inject/inject_wrap.h"

#include <stddef.h>

#define FOREIGN_FAILS(name, result)                                                                \
    long name(long a, long b, long c, long d, long e, long f, long g);                             \
    FAILS(long, name, result, (long a, long b, long c, long d, long e, long f, long g),            \
          (a, b, c, d, e, f, g))

FOREIGN_FAILS(mg_start, 0)
FOREIGN_FAILS(mg_write, -1)
FOREIGN_FAILS(mg_websocket_write, -1)
FOREIGN_FAILS(yaml_parser_initialize, 0)
FOREIGN_FAILS(newlocale, 0)
FOREIGN_FAILS(Mat_CreateVer, 0)
FOREIGN_FAILS(Mat_VarCreate, 0)
FOREIGN_FAILS(Mat_VarWrite, 1)
FOREIGN_FAILS(Mat_Close, 1)
