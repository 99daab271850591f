/* Error text for set-up code: what went wrong, where, and what to do about it. */
#ifndef SKIDPAD_BASE_ERR_H
#define SKIDPAD_BASE_ERR_H

/* A message for the user. The functions that fill it also return a negative errno. */
struct err {
    char text[512];
};

/* Formats the message (cut to fit) and returns code, so that a caller can write
 * return err_set(e, -EINVAL, "...").  e may be NULL. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
