#include "rt-tests/support/crg_write.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void big_endian(FILE *to, const void *number, size_t size)
{
    const unsigned char *b = number;
    for (size_t i = size; i-- > 0;)
        (void)fputc(b[i], to);
}

static void put(FILE *to, enum crg_write_form form, double x, int in_row, int columns)
{
    float narrow = (float)x;
    int width = form == WRITE_LRFI ? 10 : 20, per_line = 80 / width;
    switch (form) {
    case WRITE_KRBI:
        big_endian(to, &narrow, sizeof narrow);
        return;
    case WRITE_KDBI:
        big_endian(to, &x, sizeof x);
        return;
    default:
        if (isnan(x))
            (void)fputs(form == WRITE_LRFI ? "**unused**" : "*******missing******", to);
        else
            (void)fprintf(to, "%*.*f", width, form == WRITE_LRFI ? 6 : 15, x);
        if (in_row % per_line == per_line - 1 || in_row == columns - 1)
            (void)fputc('\n', to);
    }
}

char *crg_write(const struct crg_sheet *s, size_t *length)
{
    static const char *const forms[] = {"KRBI", "KDBI", "LRFI", "LDFI"};
    char *bytes = NULL;
    FILE *to = open_memstream(&bytes, length);
    if (!to)
        return NULL;
    (void)fprintf(to, "$CT  ! made by a test\n$!****\n$ROAD_CRG\n%s$!****\n", s->road);
    if (s->options)
        (void)fprintf(to, "$ROAD_CRG_OPTS\n%s$!****\n", s->options);
    if (s->modifiers)
        (void)fprintf(to, "$ROAD_CRG_MODS\n%s$!****\n", s->modifiers);
    (void)fprintf(to, "$KD_Definition\n#:%s\n%s", forms[s->form], s->channels ? s->channels : "");
    for (int i = 0; !s->channels && i < s->columns; i++)
        (void)fprintf(to, "D:long section %d,m\n", i + 1);
    (void)fputs("$!****\n", to);
    for (int i = 0; i < 8; i++)
        (void)fputs("$$$$$$$$$$", to);
    (void)fputc('\n', to);
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < s->columns; k++)
            put(to, s->form, s->number(i, k), k, s->columns);
    if (fclose(to)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

int crg_write_file(const struct crg_sheet *s, char *path)
{
    size_t length;
    char *bytes = crg_write(s, &length);
    int fd = bytes ? mkstemp(path) : -1;
    bool good = fd >= 0 && write(fd, bytes, length) == (ssize_t)length;
    if (fd >= 0)
        (void)close(fd);
    free(bytes);
    return good ? 0 : -1;
}
