/* The help table of a program: option, default, meaning. */
#include "shared/base/options.h"

#include <stdio.h>
#include <string.h>

enum {
    LINE_WIDTH = 100,
    MEANING_MIN = 30 /* narrower is unreadable: then let the line grow */
};

static const struct option_spec help_spec = {"help", NULL, NULL, "print this table"};

static int option_width(const struct option_spec *spec)
{
    size_t length = 2 + strlen(spec->name) + (spec->metavar ? 1 + strlen(spec->metavar) : 0);
    return (int)length;
}

static int fallback_width(const struct option_spec *spec)
{
    return spec->fallback ? (int)strlen(spec->fallback) : 0;
}

/* Prints text from the given column on, broken between words, and ends the line. */
static void print_wrapped(const char *text, int column)
{
    int room = LINE_WIDTH - column > MEANING_MIN ? LINE_WIDTH - column : MEANING_MIN;
    while ((int)strlen(text) > room) {
        int cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            break; /* one word wider than the column: let it stick out */
        (void)printf("%.*s\n%*s", cut, text, column, "");
        text += cut + 1;
    }
    (void)puts(text);
}

static void print_row(const struct option_spec *spec, int name_width, int default_width)
{
    int pad = name_width - option_width(spec);
    (void)printf("  --%s%s%s%*s  %-*s  ", spec->name, spec->metavar ? " " : "",
                 spec->metavar ? spec->metavar : "", pad, "", default_width,
                 spec->fallback ? spec->fallback : "");
    print_wrapped(spec->meaning, name_width + default_width + 6);
}

void options_print_help(const struct options_program *program)
{
    const struct option_spec *spec;
    int name_width = option_width(&help_spec);
    int default_width = (int)strlen("default");

    for (spec = program->specs; spec && spec->name; spec++) {
        if (option_width(spec) > name_width)
            name_width = option_width(spec);
        if (fallback_width(spec) > default_width)
            default_width = fallback_width(spec);
    }
    (void)printf("skidpad %s: %s\n\nusage: skidpad %s [OPTION]...%s%s\n\n", program->name,
                 program->summary, program->name, program->arguments ? " " : "",
                 program->arguments ? program->arguments : "");
    (void)printf("  %-*s  %-*s  meaning\n", name_width, "option", default_width, "default");
    for (spec = program->specs; spec && spec->name; spec++)
        print_row(spec, name_width, default_width);
    print_row(&help_spec, name_width, default_width);
    if (program->notes)
        (void)printf("\n%s\n", program->notes);
    (void)printf("\nexample:\n  %s\n", program->example);
}
