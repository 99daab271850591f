#include "shared/base/version.h"

/* The Makefile defines both, for this file only. */
#ifndef SKIDPAD_VERSION
#define SKIDPAD_VERSION "unknown"
#endif
#ifndef SKIDPAD_REVISION
#define SKIDPAD_REVISION "unknown"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *version_text(void)
{
    return SKIDPAD_VERSION;
}

const char *version_revision(void)
{
    return SKIDPAD_REVISION;
}

const char *version_compiler(void)
{
    return COMPILER;
}
