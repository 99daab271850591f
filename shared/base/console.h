/* What a program says on stderr from threads that must not be held up by whoever reads it.
 *
 * A terminal stopped with Ctrl-S, or a pipe that nobody empties, blocks every write() to it. So a
 * thread of its own writes, and the others only put their text into a bounded queue.
 *
 *     console_start(&e);
 *     console_say("%s: %s\n", path, strerror(error));       any thread, returns at once
 *     console_status("12.3 s  80 km/h");                    on a terminal: the last line, replaced
 *     console_stop(500);                                    says the rest, if that can be said
 *
 * Not for real-time threads: a lock is held while a text is copied. One console per process; it
 * belongs to the process that started it, a child of fork() has none. */
#ifndef SKIDPAD_BASE_CONSOLE_H
#define SKIDPAD_BASE_CONSOLE_H

#include "shared/base/err.h"

#include <stdbool.h>

/* Bytes of the queue, of one text and of the status line; longer ones are cut. */
enum { CONSOLE_QUEUE = 65536, CONSOLE_TEXT = 4096, CONSOLE_STATUS = 256 };

/* Starts the thread. Returns 0 or a negative errno with a message. */
int console_start(struct err *e);

/* A text as printf() makes it, for stderr, control characters replaced as console_clean() does but
 * for newlines and tabs. Returns at once: a text that does not fit into the queue is dropped and
 * counted, and the count is said as soon as there is room again. Before console_start() and after
 * console_stop() it is written directly, unless console_stop() found stderr blocked: then it is
 * dropped. */
void console_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the last line of a terminal shall show from now on; "" for none. Does nothing if stderr is
 * not a terminal. */
void console_status(const char *text);

/* Says what is left, waits for that at most this long and removes the status line. */
void console_stop(int timeout_ms);

/* Writes a text to a descriptor, e.g. a summary to stdout, and waits for that at most this long.
 * Returns whether all of it was written. For the end of a program: what takes longer goes on until
 * the process ends. */
bool console_write(int fd, const char *text, int timeout_ms);

/* Makes a text that came from outside safe for a terminal, in place: every control character (C0,
 * DEL, and C1 as UTF-8 has them) and every byte that is not UTF-8 becomes '?'. */
void console_clean(char *text);

#endif
