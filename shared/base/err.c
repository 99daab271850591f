#include "shared/base/err.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *e, int code, const char *format, ...)
{
    if (e) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(e->text, sizeof e->text, format, args);
        va_end(args);
    }
    return code;
}
