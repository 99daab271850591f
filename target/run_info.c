#include "target/run_info.h"

#include "shared/base/file.h"
#include "shared/base/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

/* A whole file, for the attachments; NULL if it cannot be read or is larger than 1 MB (then it is
 * left out). */
static void *slurp(const char *path, size_t *bytes)
{
    char *text = NULL;
    *bytes = 0;
    if (path)
        (void)file_read_whole(path, 1 << 20, &text, bytes);
    return text;
}

void run_info_fill(struct run_info *info, const struct loop *l, const struct run_info_about *about)
{
    const struct vehicle *car = l->car->vehicle;
    struct utsname u;
    (void)uname(&u);
    (void)snprintf(info->step_ns, sizeof info->step_ns, "%" PRId64, l->setup.period_ns);
    (void)snprintf(info->deadline_ns, sizeof info->deadline_ns, "%" PRId64, l->setup.deadline_ns);
    (void)snprintf(info->substeps, sizeof info->substeps, "%d", car->facts.substeps);
    (void)snprintf(info->kernel, sizeof info->kernel, "%s %s %s %s", u.sysname, u.release,
                   u.version, u.machine);
    (void)snprintf(info->hash, sizeof info->hash, "%016" PRIx64, offline_model_hash(l->car));
    struct mdf_property *out = info->property;
    size_t n = 0;
    out[n++] = (struct mdf_property){"car", car->name};
    out[n++] = (struct mdf_property){"model", car->ops->name};
    out[n++] = (struct mdf_property){"integrator", model_integrator_name(car->facts.integrator)};
    out[n++] = (struct mdf_property){"substeps", info->substeps};
    out[n++] = (struct mdf_property){"period_ns", info->step_ns};
    out[n++] = (struct mdf_property){"deadline_ns", info->deadline_ns};
    out[n++] = (struct mdf_property){"core", about->core};
    if (about->core_about[0])
        out[n++] = (struct mdf_property){"core_version", about->core_about};
    out[n++] = (struct mdf_property){"kernel", info->kernel};
    out[n++] = (struct mdf_property){"revision", version_revision()};
    out[n++] = (struct mdf_property){"scenario", about->scenario};
    out[n++] = (struct mdf_property){"vehicle", about->vehicle};
    out[n++] = (struct mdf_property){"content_hash", info->hash};
    if (about->unit && about->unit[0])
        out[n++] = (struct mdf_property){"unit", about->unit};
    if (about->parameters && about->parameters[0])
        out[n++] = (struct mdf_property){"parameters", about->parameters};
    info->count = n;
}

size_t run_info_files(const struct run_info_about *about,
                      struct mdf_attachment files[RUN_INFO_FILES])
{
    const char *paths[RUN_INFO_FILES] = {about->bench, about->scenario, about->vehicle};
    static const char *const names[RUN_INFO_FILES] = {"bench.yaml", "scenario.yaml",
                                                      "vehicle.yaml"};
    size_t count = 0;
    for (int i = 0; i < RUN_INFO_FILES; i++) {
        size_t bytes;
        void *text = slurp(paths[i], &bytes);
        if (text)
            files[count++] = (struct mdf_attachment){
                .name = names[i], .mime = "text/yaml", .data = text, .bytes = bytes};
    }
    return count;
}

void run_info_files_free(struct mdf_attachment *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)files[i].data);
}
