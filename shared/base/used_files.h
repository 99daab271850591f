/* Which files this command reads and writes, so that none of its outputs takes the place of an
 * input or of another output. file.c, mdf_read_open() and out_file.c report what they open;
 * out_file.c asks. Files count by device and inode for as long as the noted path leads there: links
 * to a file are that file, and a number that the disk has given to another file means nothing.
 *
 * Nothing is noted before used_files_begin(), which options_parse() calls: a process that is no
 * command, such as a test, may write and read a file as often as it likes. Any thread. */
#ifndef SKIDPAD_BASE_USED_FILES_H
#define SKIDPAD_BASE_USED_FILES_H

#include <stdbool.h>

enum used_as { USED_AS_INPUT, USED_AS_OUTPUT };

void used_files_begin(void);
/* The open file, which is a regular one if it is to count, by the path it was opened with. */
void used_files_note(int fd, const char *path, enum used_as as);
/* It was not used after all. */
void used_files_forget(int fd, enum used_as as);
bool used_files_has(int fd, enum used_as as);

#endif
