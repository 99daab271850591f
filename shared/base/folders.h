/* Folders for files that are about to be written. */
#ifndef SKIDPAD_BASE_FOLDERS_H
#define SKIDPAD_BASE_FOLDERS_H

/* Makes the folders on the way to a file, as mkdir -p does. Failures are not told: opening the file
 * says what is wrong. */
void folders_make(const char *path);

#endif
