/* skidpad steady: quasi-steady-state cornering up to and beyond the limit. */
#include "shared/base/folders.h"
#include "shared/base/options.h"
#include "shared/base/out_file.h"
#include "target/steady_sweep.h"
#include "target/vehicle/vehicle_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_BAD_INPUT = 2 };

static struct vehicle *load(const char *path)
{
    const struct vehicle_options set = {.step_s = 1e-3, .integrator = VEHICLE_AS_FILE};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    (void)vehicle_load(path, &set, &v, &doc);
    if (doc)
        cfg_print_messages(doc, stderr);
    else
        fprintf(stderr, "skidpad steady: out of memory\n");
    cfg_close(doc);
    return v;
}

/* Opens the file of an option; 1: was not given. */
static int open_report(const struct options *o, const char *name, struct out_file *f)
{
    const char *path = options_given(o, name) ? options_text(o, name) : NULL;
    struct err e = {""};
    if (!path)
        return 1;
    folders_make(path);
    int bad = out_file_open_stream(f, path, &e);
    if (bad)
        fprintf(stderr, "skidpad steady: %s\n", e.text);
    return bad;
}

static int close_report(struct out_file *f, int bad)
{
    struct err e = {""};
    bad = out_file_finish(f, bad, &e);
    if (bad)
        fprintf(stderr, "skidpad steady: %s\n", e.text);
    return bad;
}

static int reports(const struct options *o, const struct steady_sweep *w, const char *car)
{
    struct out_file f;
    int bad = open_report(o, "csv", &f);
    if (bad == 0)
        bad = close_report(&f, steady_csv(w, f.stream));
    if (bad < 0)
        return bad;
    bad = open_report(o, "json", &f);
    if (bad == 0)
        bad = close_report(&f, steady_json(w, car, f.stream));
    if (bad < 0)
        return bad;
    bad = open_report(o, "svg", &f);
    if (bad == 0)
        bad = close_report(&f, steady_svg(w, car, f.stream));
    return bad < 0 ? bad : 0;
}

int main(int argc, char **argv)
{
    static const char *const holds[] = {"wheels", "push", NULL};
    static const char *const sides[] = {"left", "right", NULL};
    static const struct option_spec specs[] = {
        {"radius", "METRES", "100", "of the circle, on which the speed rises"},
        {"speed-kmh", "SPEED", NULL, "hold this one instead, while the circle shrinks"},
        {"step", "M/S2", "0.25", "between two turns"},
        {"to", "M/S2", "(limit + 10 %)", "lateral acceleration of the last turn"},
        {"friction", "FACTOR", "1", "of the ground"},
        {"hold", "BY", "wheels", "what keeps the speed: driven wheels, or a push along the way"},
        {"turn", "SIDE", "left", "left or right"},
        {"csv", "FILE", NULL, "the table for machines"},
        {"json", "FILE", NULL, "the same as JSON"},
        {"svg", "FILE", NULL, "draw hand wheel, body, loads, gradient, slip, rest"},
        {"quiet", NULL, NULL, "no table"},
        {0},
    };
    static const struct options_program program = {
        .name = "steady",
        .summary = "steady turns of a car up to and beyond its limit",
        .arguments = "VEHICLE.yaml",
        .args_min = 1,
        .args_max = 1,
        .specs = specs,
        .example = "skidpad steady config/vehicles/sedan.yaml --radius 100 --svg steady.svg",
        .notes = "Gradient: front wheels beyond the arc, mrad/(m/s2). Rest: what changes though it "
                 "should not;\nbelow 0.01 m/s2 a turn is steady.\nStatus: 0 done, 2 bad input.",
    };
    static struct steady_sweep sweep; /* large: not for the stack */
    static struct steady s;
    struct options o;
    int status = options_parse(&o, &program, argc, argv), hold = STEADY_WHEELS, side = 0;
    if (status != OPTIONS_GO)
        return status;
    double speed_kmh = 0.0, friction = 1.0;
    options_double(&o, "radius", &sweep.radius_m, 5.0, 1e4);
    if (options_given(&o, "speed-kmh"))
        options_double(&o, "speed-kmh", &speed_kmh, 10.0, 400.0);
    options_double(&o, "step", &sweep.step_mps2, 0.01, 5.0);
    if (options_given(&o, "to"))
        options_double(&o, "to", &sweep.to_mps2, 0.01, 50.0);
    options_double(&o, "friction", &friction, 0.05, 2.0);
    options_choice(&o, "hold", &hold, holds);
    options_choice(&o, "turn", &side, sides);
    if (options_given(&o, "radius") && options_given(&o, "speed-kmh"))
        return options_complain(&o, "either --radius or --speed-kmh is held");
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    if (speed_kmh > 0.0) {
        sweep.radius_m = 0.0;
        sweep.speed_mps = speed_kmh / 3.6;
    }
    sweep.right = side == 1;
    struct vehicle *v = load(o.args[0]);
    if (!v)
        return STATUS_BAD_INPUT;
    int bad = steady_open(&s, v, friction, (enum steady_hold)hold);
    if (bad) {
        if (bad == -ENOTSUP)
            fprintf(stderr, "skidpad steady: %s: the model %s has no steady turns\n", o.args[0],
                    v->ops->name);
        else
            fprintf(stderr, "skidpad steady: out of memory\n");
        free(v);
        return STATUS_BAD_INPUT;
    }
    steady_sweep_run(&sweep, &s);
    status = 0;
    if (!options_given(&o, "quiet"))
        (void)steady_table(&sweep, v->name, stdout); /* the end of the program looks at stdout */
    if (reports(&o, &sweep, v->name))
        status = STATUS_BAD_INPUT;
    steady_close(&s);
    free(v);
    return status;
}
