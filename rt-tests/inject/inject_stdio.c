/* Streams: what libc does inside them is one call here. A stream that failed has its error flag
 * set, as after a write that the kernel refused. */
#include "rt-tests/inject/inject_wrap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

enum { ERROR_SEEN = 0x20 }; /* glibc's flag behind ferror() */

static void mark(FILE *stream)
{
    stream->_flags |= ERROR_SEEN;
}

#define STREAM_FAILS(type, name, result, parameters, arguments, stream)                            \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name);                                                                                \
        if (MEET_ON(name, stream) == INJECT_ERROR) {                                               \
            mark(stream);                                                                          \
            return (result);                                                                       \
        }                                                                                          \
        return next arguments;                                                                     \
    }

/* NOLINTBEGIN(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */

FAILS(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
FAILS(FILE *, fdopen, NULL, (int fd, const char *mode), (fd, mode))
FAILS(FILE *, fopencookie, NULL, (void *self, const char *mode, cookie_io_functions_t calls),
      (self, mode, calls))
FAILS(FILE *, tmpfile, NULL, (void), ())
FAILS(FILE *, open_memstream, NULL, (char **text, size_t *size), (text, size))
STREAM_FAILS(char *, fgets, NULL, (char *to, int size, FILE *f), (to, size, f), f)
STREAM_FAILS(ssize_t, __getdelim, -1, (char **line, size_t *size, int end, FILE *f),
             (line, size, end, f), f)
STREAM_FAILS(size_t, fread, 0, (void *to, size_t each, size_t count, FILE *f), (to, each, count, f),
             f)
STREAM_FAILS(size_t, fwrite, 0, (const void *from, size_t each, size_t count, FILE *f),
             (from, each, count, f), f)
STREAM_FAILS(int, fputs, EOF, (const char *text, FILE *f), (text, f), f)
STREAM_FAILS(int, fputc, EOF, (int c, FILE *f), (c, f), f)
STREAM_FAILS(int, puts, EOF, (const char *text), (text), stdout)
STREAM_FAILS(int, putchar, EOF, (int c), (c), stdout)
STREAM_FAILS(int, vfprintf, -1, (FILE * f, const char *format, va_list rest), (f, format, rest), f)

/* Every stream there is: none is marked. */
int fflush(FILE *f)
{
    NEXT(fflush);
    if (MEET_ON(fflush, f) != INJECT_ERROR)
        return next(f);
    if (f)
        mark(f);
    return EOF;
}

/* The error comes when the file is closed already. */
int fclose(FILE *f)
{
    NEXT(fclose);
    enum inject_kind kind = MEET_ON(fclose, f);
    int error = errno, status = next(f);
    if (kind != INJECT_ERROR)
        return status;
    errno = error;
    return EOF;
}

int fprintf(FILE *f, const char *format, ...)
{
    NEXT(vfprintf);
    va_list rest;
    if (MEET_ON(fprintf, f) == INJECT_ERROR) {
        mark(f);
        return -1;
    }
    va_start(rest, format);
    int n = next(f, format, rest);
    va_end(rest);
    return n;
}

int printf(const char *format, ...)
{
    NEXT(vfprintf);
    va_list rest;
    if (MEET_ON(printf, stdout) == INJECT_ERROR) {
        mark(stdout);
        return -1;
    }
    va_start(rest, format);
    int n = next(stdout, format, rest);
    va_end(rest);
    return n;
}

/* ---- the same names with _FORTIFY_SOURCE */

int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list rest);
char *__fgets_chk(char *to, size_t room, int size, FILE *f);
size_t __fread_chk(void *to, size_t room, size_t each, size_t count, FILE *f);

STREAM_FAILS(int, __vfprintf_chk, -1, (FILE * f, int flag, const char *format, va_list rest),
             (f, flag, format, rest), f)
STREAM_FAILS(char *, __fgets_chk, NULL, (char *to, size_t room, int size, FILE *f),
             (to, room, size, f), f)
STREAM_FAILS(size_t, __fread_chk, 0, (void *to, size_t room, size_t each, size_t count, FILE *f),
             (to, room, each, count, f), f)

int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
    NEXT(__vfprintf_chk);
    va_list rest;
    if (MEET_ON(__fprintf_chk, f) == INJECT_ERROR) {
        mark(f);
        return -1;
    }
    va_start(rest, format);
    int n = next(f, flag, format, rest);
    va_end(rest);
    return n;
}

int __printf_chk(int flag, const char *format, ...)
{
    NEXT(__vfprintf_chk);
    va_list rest;
    if (MEET_ON(__printf_chk, stdout) == INJECT_ERROR) {
        mark(stdout);
        return -1;
    }
    va_start(rest, format);
    int n = next(stdout, flag, format, rest);
    va_end(rest);
    return n;
}

/* NOLINTEND(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */
