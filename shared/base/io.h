/* read() and write() that go on after an interrupt or a part. */
#ifndef SKIDPAD_BASE_IO_H
#define SKIDPAD_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

/* Bytes read, fewer only at the end of the file; or a negative errno. */
ssize_t io_read(int fd, void *to, size_t bytes);
/* 0 or a negative errno. */
int io_write(int fd, const void *from, size_t bytes);

#endif
