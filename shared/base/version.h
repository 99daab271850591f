/* Which skidpad this is; for `skidpad version` and the head of every log. */
#ifndef SKIDPAD_BASE_VERSION_H
#define SKIDPAD_BASE_VERSION_H

/* The release, as in the file VERSION at the top of the repository. */
const char *version_text(void);
/* The git revision the library was built from, with "-dirty" if it had changes; or "unknown". */
const char *version_revision(void);
/* Compiler and its version. */
const char *version_compiler(void);

#endif
