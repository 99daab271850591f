/* Writes OpenCRG files for tests: every form of numbers, headers as the test wants them. */
#ifndef SKIDPAD_TESTS_CRG_WRITE_H
#define SKIDPAD_TESTS_CRG_WRITE_H

#include <stddef.h>

enum crg_write_form { WRITE_KRBI, WRITE_KDBI, WRITE_LRFI, WRITE_LDFI };

struct crg_sheet {
    const char *road;    /* lines of $ROAD_CRG; the increment among them */
    const char *options; /* of $ROAD_CRG_OPTS; NULL: no such section */
    const char *modifiers;
    const char *channels; /* D: lines, of the line and the long sections; NULL: by number */
    enum crg_write_form form;
    int rows, columns;                     /* numbers a row, those of the line included */
    double (*number)(int row, int column); /* NaN: a gap */
};

/* The file as bytes, malloc'ed; NULL if memory ran out. */
char *crg_write(const struct crg_sheet *s, size_t *length);
/* The same into a new file of the folder /tmp; path gets its name (template ended by XXXXXX). */
int crg_write_file(const struct crg_sheet *s, char *path);

#endif
