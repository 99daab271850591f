#include "rt-tests/support/cars.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void cars_find(struct cars *cars)
{
    glob_t found;
    if (glob("config/vehicles/*.yaml", 0, NULL, &found))
        fail_msg("no cars in config/vehicles (run from the top of the repository)");
    cars->count = 0;
    for (size_t i = 0; i < found.gl_pathc && cars->count < CARS_MAX; i++)
        (void)snprintf(cars->path[cars->count++], CARS_PATH, "%s", found.gl_pathv[i]);
    globfree(&found);
}

struct vehicle *car_load_hydraulic(const char *path, int integrator, double step_s)
{
    struct vehicle_options options = {.step_s = step_s, .integrator = integrator};
    struct vehicle *car = NULL;
    struct cfg_doc *doc = NULL;
    int bad = vehicle_load(path, &options, &car, &doc);
    if (bad && doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad)
        fail_msg("%s cannot be loaded", path);
    return car;
}

struct vehicle *car_load(const char *path, int integrator, double step_s)
{
    struct vehicle *car = car_load_hydraulic(path, integrator, step_s);
    struct hydraulics_model *h = &lumped15_of(car)->hydraulics;
    memset(h, 0, sizeof *h);
    return car;
}

const char *car_name(const char *path, char *name, int size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    (void)snprintf(name, (size_t)size, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
    return name;
}
