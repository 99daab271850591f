#include "target/trial_unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void files_of_car(const char *vehicle, struct trial_unit_files *f)
{
    const char *slash = strrchr(vehicle, '/'), *base = slash ? slash + 1 : vehicle;
    int folder = slash ? (int)(slash - vehicle) + 1 : 0;
    (void)snprintf(f->params, sizeof f->params, "%.*s../ecu/%s", folder, vehicle, base);
    (void)snprintf(f->bus, sizeof f->bus, "%.*s../can/skidpad_chassis.yaml", folder, vehicle);
}

int trial_unit_choose(const struct scenario_unit *first, const struct scenario_unit *second,
                      const char *vehicle, struct trial_unit_files *files)
{
    const struct scenario_unit *said = first->kind != UNIT_NOT_SAID ? first : second;
    memset(files, 0, sizeof *files);
    if (said->kind == UNIT_NONE)
        return 0;
    if (said->kind == UNIT_FILE) {
        (void)snprintf(files->params, sizeof files->params, "%s", said->params);
        (void)snprintf(files->bus, sizeof files->bus, "%s", said->bus);
        return 0;
    }
    files_of_car(vehicle, files);
    if (access(files->params, R_OK) == 0)
        return 0;
    if (said->kind == UNIT_OF_CAR) {
        fprintf(stderr,
                "skidpad test: %s: the car %s has no unit there; give `unit: none` or its files\n",
                files->params, vehicle);
        return -ENOENT;
    }
    files->params[0] = '\0';
    return 0;
}
