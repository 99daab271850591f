/* skidpad version: what was built, by what, on what. */
#include "shared/base/options.h"
#include "shared/base/version.h"

#include <gnu/libc-version.h>
#include <sleef.h>
#include <stdio.h>
#include <yaml.h>

static const struct option_spec specs[] = {
    {"short", NULL, NULL, "print the version number only"},
    {0},
};

static const struct options_program program = {
    .name = "version",
    .summary = "print the version of skidpad and of its libraries",
    .specs = specs,
    .example = "skidpad version",
};

int main(int argc, char **argv)
{
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;

    if (options_given(&o, "short")) {
        (void)printf("%s\n", version_text());
        return 0;
    }
    (void)printf("skidpad   %s\n", version_text());
    (void)printf("revision  %s\n", version_revision());
    (void)printf("compiler  %s\n", version_compiler());
    (void)printf("glibc     %s\n", gnu_get_libc_version());
    (void)printf("libyaml   %s\n", yaml_get_version_string());
    (void)printf("SLEEF     %d.%d.%d\n", SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR,
                 SLEEF_VERSION_PATCHLEVEL);
    return 0;
}
