/* Work that falls into independent pieces, on several threads. */
#ifndef SKIDPAD_TARGET_CREW_H
#define SKIDPAD_TARGET_CREW_H

/* Calls one(what, i) for i from 0 to count - 1, each once, on up to `threads` threads; returns when
 * all are done. */
void crew_run(int threads, int count, void (*one)(void *what, int i), void *what);

#endif
