#include "shared/base/console.h"

#include "shared/base/time.h"
#include "shared/base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PART = 4096, NOTICE = 128, STACK_BYTES = 131072 };
static const char erase[] = "\r\033[K";

/* Detached, the thread outlives console_stop() if stderr is blocked; so this is never freed. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work; /* something to write, or the end */
    pthread_cond_t done; /* the thread has left */
    char queue[CONSOLE_QUEUE];
    size_t first, used;
    uint64_t dropped; /* texts, since the last time that was said */
    char status[CONSOLE_STATUS];
    bool status_changed;
    bool terminal;
    bool thread;    /* there is one */
    bool accepting; /* between start and stop */
    bool finish;
} console = {.lock = PTHREAD_MUTEX_INITIALIZER,
             .work = PTHREAD_COND_INITIALIZER,
             .done = PTHREAD_COND_INITIALIZER};

/* ---- texts */

static bool is_control(const unsigned char *t)
{
    return t[0] < 0x20 || t[0] == 0x7f || (t[0] == 0xc2 && t[1] < 0xa0);
}

static void clean(char *text, const char *keep)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = utf8_character(text, left);
        bool bad = length == 0 || (is_control((unsigned char *)text) && !strchr(keep, text[0]));
        length = length ? length : 1;
        if (bad)
            memset(text, '?', length);
        text += length;
        left -= length;
    }
}

void console_clean(char *text)
{
    clean(text, "");
}

/* ---- the disk, pipe or terminal behind stderr */

/* Gives up on errors: there is nobody to tell. */
static bool write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = fd, .events = POLLOUT};
            (void)poll(&room, 1, -1);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* ---- the queue; all of it with the lock held */

static bool put(const char *text, size_t bytes)
{
    if (CONSOLE_QUEUE - console.used < bytes)
        return false;
    size_t at = (console.first + console.used) % CONSOLE_QUEUE, part = CONSOLE_QUEUE - at;
    part = part < bytes ? part : bytes;
    memcpy(console.queue + at, text, part);
    memcpy(console.queue, text + part, bytes - part);
    console.used += bytes;
    return true;
}

static size_t take(char *text, size_t most)
{
    size_t bytes = console.used < most ? console.used : most;
    size_t part = CONSOLE_QUEUE - console.first;
    part = part < bytes ? part : bytes;
    memcpy(text, console.queue + console.first, part);
    memcpy(text + part, console.queue, bytes - part);
    console.first = (console.first + bytes) % CONSOLE_QUEUE;
    console.used -= bytes;
    return bytes;
}

/* In place of the texts that were dropped, if there is room for so much. */
static void put_notice(size_t besides)
{
    char text[NOTICE];
    if (console.dropped == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "(%" PRIu64 " messages were dropped here: nobody read them)\n", console.dropped);
    if (CONSOLE_QUEUE - console.used < strlen(text) + besides)
        return;
    (void)put(text, strlen(text));
    console.dropped = 0;
}

void console_say(const char *format, ...)
{
    char text[CONSOLE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof text)
        memcpy(text + sizeof text - 5, "...\n", 5);
    clean(text, "\n\t");
    size_t bytes = strlen(text);
    (void)pthread_mutex_lock(&console.lock);
    bool direct = !console.accepting && !console.thread;
    if (!direct) {
        put_notice(bytes);
        if (!console.accepting || console.dropped > 0 || !put(text, bytes))
            console.dropped++;
        (void)pthread_cond_signal(&console.work);
    }
    (void)pthread_mutex_unlock(&console.lock);
    if (direct)
        (void)write_all(STDERR_FILENO, text, bytes);
}

void console_status(const char *text)
{
    (void)pthread_mutex_lock(&console.lock);
    if (console.accepting && console.terminal) {
        (void)snprintf(console.status, sizeof console.status, "%s", text);
        utf8_repair_field(console.status, sizeof console.status);
        console_clean(console.status);
        console.status_changed = true;
        (void)pthread_cond_signal(&console.work);
    }
    (void)pthread_mutex_unlock(&console.lock);
}

/* ---- the thread */

/* The next piece for stderr: texts, and behind the last of them the status line. */
static size_t compose(char out[2 * PART], bool *drawn)
{
    size_t bytes = 0;
    put_notice(0);
    if (*drawn) {
        memcpy(out, erase, sizeof erase - 1);
        bytes = sizeof erase - 1;
    }
    bytes += take(out + bytes, PART);
    *drawn = false;
    if (console.used > 0)
        return bytes;
    console.status_changed = false;
    size_t length = strlen(console.status);
    memcpy(out + bytes, console.status, length);
    *drawn = length > 0;
    return bytes + length;
}

static void *work(void *unused)
{
    char out[2 * PART];
    bool drawn = false;
    (void)unused;
    (void)pthread_mutex_lock(&console.lock);
    for (;;) {
        bool idle = console.used == 0 && console.dropped == 0 && !console.status_changed;
        if (idle && console.finish)
            break;
        if (idle) {
            (void)pthread_cond_wait(&console.work, &console.lock);
            continue;
        }
        size_t bytes = compose(out, &drawn);
        (void)pthread_mutex_unlock(&console.lock);
        (void)write_all(STDERR_FILENO, out, bytes);
        (void)pthread_mutex_lock(&console.lock);
    }
    console.thread = false;
    (void)pthread_cond_broadcast(&console.done);
    (void)pthread_mutex_unlock(&console.lock);
    return NULL;
}

/* No signal shall end or stop the thread: with all of them blocked, a pipe whose reader is gone and
 * a terminal that belongs to another job give errors, or take the text. */
static int start_thread(void *(*function)(void *), void *argument)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, &attributes, function, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

int console_start(struct err *e)
{
    (void)pthread_mutex_lock(&console.lock);
    console.finish = false;
    console.terminal = isatty(STDERR_FILENO) != 0;
    /* One that console_stop() left behind, blocked, goes on. */
    int error = console.thread ? 0 : start_thread(work, NULL);
    console.thread = error == 0;
    console.accepting = error == 0;
    (void)pthread_mutex_unlock(&console.lock);
    return error ? err_set(e, -error, "the thread that writes messages did not start: %s",
                           strerror(error))
                 : 0;
}

static struct timespec after(int timeout_ms)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t end_ns = until.tv_nsec + (int64_t)timeout_ms * NS_PER_MS;
    until.tv_sec += (time_t)(end_ns / NS_PER_S);
    until.tv_nsec = (long)(end_ns % NS_PER_S);
    return until;
}

void console_stop(int timeout_ms)
{
    const struct timespec until = after(timeout_ms);
    (void)pthread_mutex_lock(&console.lock);
    console.accepting = false;
    console.finish = true;
    console.status_changed |= console.status[0] != '\0';
    console.status[0] = '\0';
    (void)pthread_cond_signal(&console.work);
    while (console.thread &&
           pthread_cond_clockwait(&console.done, &console.lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    (void)pthread_mutex_unlock(&console.lock);
}

/* ---- a text at the end */

/* Freed by the one of the two that is done last. */
struct letter {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int fd;
    char *text;
    bool sent, good, left; /* the thread is done; without an error; nobody waits any more */
};

static void free_letter(struct letter *l)
{
    (void)pthread_cond_destroy(&l->done);
    (void)pthread_mutex_destroy(&l->lock);
    free(l->text);
    free(l);
}

static void *send_letter(void *argument)
{
    struct letter *l = argument;
    bool good = write_all(l->fd, l->text, strlen(l->text));
    (void)pthread_mutex_lock(&l->lock);
    l->good = good;
    l->sent = true;
    bool left = l->left;
    (void)pthread_cond_signal(&l->done);
    (void)pthread_mutex_unlock(&l->lock);
    if (left)
        free_letter(l);
    return NULL;
}

bool console_write(int fd, const char *text, int timeout_ms)
{
    const struct timespec until = after(timeout_ms);
    struct letter *l = calloc(1, sizeof *l);
    if (!l)
        return false;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->done, NULL);
    l->fd = fd;
    l->text = strdup(text);
    if (!l->text || start_thread(send_letter, l)) {
        free_letter(l);
        return false;
    }
    (void)pthread_mutex_lock(&l->lock);
    while (!l->sent && pthread_cond_clockwait(&l->done, &l->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    bool sent = l->sent, good = l->sent && l->good;
    l->left = true;
    (void)pthread_mutex_unlock(&l->lock);
    if (sent)
        free_letter(l);
    return good;
}
