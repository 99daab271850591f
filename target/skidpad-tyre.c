/* skidpad tyre: what a .tir file describes, as a table, as curves, or at given points. */
#include "shared/base/options.h"
#include "target/model/tyre/tyre_file.h"
#include "target/tyre_sheet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_BAD_INPUT = 2 };

/* "config/tyres/x.tir" becomes "x" with another ending. */
static void own_name(const char *path, const char *ending, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".tir") == 0)
        length -= 4;
    (void)snprintf(name, size, "%.*s%s", (int)length, base, ending);
}

static int finish(int status, const struct err *err)
{
    if (status == 0)
        return 0;
    fprintf(stderr, "%s\n", err->text);
    return STATUS_BAD_INPUT;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"svg", "OUT.svg", "(FILE.svg here)", "where to draw the curves"},
        {"points", "IN.csv", NULL, "forces at the rows of a table, to standard output"},
        {"friction", "MU", "1", "friction of the road, scales that of the file"},
        {0},
    };
    static const struct options_program program = {
        .name = "tyre",
        .summary = "show what a tyre file describes: table, curves, forces at points",
        .arguments = "FILE.tir",
        .args_min = 1,
        .args_max = 1,
        .specs = specs,
        .notes =
            "IN.csv names the columns Fz_N, kappa, alpha_rad, gamma_rad, Vx_mps and, if wanted,\n"
            "pressure_Pa (0: that of the file) in its first line, in any order; others pass\n"
            "through. Fx_N, Fy_N, Mx_Nm, My_Nm, Mz_Nm are appended: ISO-W axes, steady state.",
        .example = "skidpad tyre config/tyres/sedan_205_55R16.tir --svg sedan.svg",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    double friction = 1.0;
    options_double(&o, "friction", &friction, 0.01, 2.0);
    if (!options_ok(&o))
        return OPTIONS_USAGE;

    static struct tir_report report;
    struct tyre_model model;
    struct err err = {""};
    const char *path = o.args[0];
    status = tyre_model_read(path, &model, &report, &err);
    tir_report_print(&report, true, stderr);
    if (status)
        return STATUS_BAD_INPUT;
    if (options_given(&o, "points")) {
        if (options_given(&o, "svg"))
            return options_complain(&o, "--points and --svg do not go together");
        return finish(tyre_sheet_points(&model, friction, options_text(&o, "points"), stdout, &err),
                      &err);
    }

    char svg[1024], name[256];
    own_name(path, ".svg", svg, sizeof svg);
    own_name(path, "", name, sizeof name);
    if (options_given(&o, "svg"))
        options_copy_path(&o, "--svg", options_text(&o, "svg"), svg, sizeof svg);
    if (!options_ok(&o))
        return OPTIONS_USAGE;
    status = tyre_sheet_draw(name, &model, friction, svg, &err);
    if (status == 0) {
        tyre_sheet_print(path, &model, friction, stdout);
        printf("\ncurves: %s\n", svg);
    }
    return finish(status, &err);
}
