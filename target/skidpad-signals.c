/* skidpad signals: everything measurable, as logs, telemetry and bench files name it. */
#include "shared/base/options.h"
#include "shared/wire/signals.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    static const char *const types[] = {"f64", "i64", "u32", "i32"};
    static const struct option_spec specs[] = {
        {"csv", NULL, NULL, "comma-separated, for other programs"},
        {0},
    };
    static const struct options_program program = {
        .name = "signals",
        .summary = "list every signal with unit, type and meaning",
        .specs = specs,
        .example = "skidpad signals",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    bool csv = options_given(&o, "csv");
    printf(csv ? "%s,%s,%s,%s\n" : "%-26s %-6s %-5s %s\n", "name", "unit", "type", "meaning");
    for (size_t i = 0; i < signal_count; i++) {
        const struct signal_info *s = &signal_table[i];
        printf(csv ? "%s,%s,%s,\"%s\"\n" : "%-26s %-6s %-5s %s\n", s->name, s->unit, types[s->type],
               s->meaning);
    }
    return 0;
}
