#include "target/watchdog_tell.h"

#include "target/io/can_interface.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 2048 };

static void add(char *text, const char *more)
{
    (void)strncat(text, more, TEXT - 1 - strlen(text));
}

/* Asks the kernel, which may take its time. */
static void describe_queues(const struct watchdog_plan *p, const struct watchdog_deed *d,
                            char *text)
{
    char part[256];
    const int queued = d->interface[0] ? can_interface_queued(d->interface) : -1;
    (void)snprintf(text, TEXT, "skidpad watchdog: %s: ", p->bench);
    (void)snprintf(part, sizeof part,
                   "frames of the run that are no safe frames and may still go out: %u in its "
                   "gateway",
                   d->in_gateway);
    add(text, part);
    if (d->interface[0] && queued >= 0)
        (void)snprintf(part, sizeof part,
                       ", at most %d in the queue of %s (safe frames among them), and what the "
                       "controller holds",
                       queued, d->interface);
    else if (d->interface[0])
        (void)snprintf(part, sizeof part, "; the queue of %s cannot be read: %s", d->interface,
                       strerror(-queued));
    else
        (void)snprintf(part, sizeof part, ", %lld bytes in its socket",
                       (long long)(d->socket_bytes > 0 ? d->socket_bytes : 0));
    add(text, part);
    add(text, d->killed ? "\n" : "; and those of the tick that it stopped in, if it goes on\n");
}

static void describe_deed(const struct watchdog_plan *p, const struct watchdog_deed *d, char *text)
{
    char part[256];
    (void)snprintf(text, TEXT, "skidpad watchdog: %s: ", p->bench);
    if (d->killed)
        (void)snprintf(part, sizeof part, "the run (process %d) is gone after tick %lld",
                       (int)p->run, (long long)d->tick);
    else
        (void)snprintf(part, sizeof part,
                       "no tick of the run (process %d) for %.1f ms, the last was %lld",
                       (int)p->run, 1e-6 * (double)d->silent_ns, (long long)d->tick);
    add(text, part);
    if (p->action == WATCHDOG_SILENT) {
        (void)snprintf(part, sizeof part, "; bus %s stays silent\n", p->bus_name);
        add(text, part);
    } else {
        (void)snprintf(part, sizeof part, "; process %d sends %u safe frames on bus %s",
                       (int)getpid(), p->frames, p->bus_name);
        add(text, part);
        for (uint32_t i = 0; i < p->frames; i++) {
            add(text, i == 0 ? ": " : ", ");
            add(text, p->name[i]);
        }
        (void)snprintf(part, sizeof part, p->for_ns ? ", for %.1f s\n" : ", until it is ended\n",
                       1e-9 * (double)p->for_ns);
        add(text, part);
    }
}

static void describe_end(const struct watchdog_plan *p, const struct watchdog_deed *d, char *text)
{
    (void)snprintf(text, TEXT,
                   "skidpad watchdog: %s: ends after %.1f s: %llu safe frames sent, %llu not taken "
                   "by bus %s\n",
                   p->bench, 1e-9 * (double)d->for_ns, (unsigned long long)d->sent,
                   (unsigned long long)d->failed, p->bus_name);
}

static void write_all(int descriptor, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t n = write(descriptor, text, left);
        if (n < 0 && errno != EINTR)
            return; /* nobody is left to be told of it */
        text += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

static void write_report(const struct watchdog_plan *p, const char *text)
{
    char date[32] = "";
    struct tm utc;
    const time_t now = time(NULL);
    if (p->report[0] == '\0')
        return;
    const int file = open(p->report, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0644);
    if (file < 0) {
        char why[TEXT];
        (void)snprintf(why, sizeof why, "skidpad watchdog: %s: %s\n", p->report, strerror(errno));
        write_all(STDERR_FILENO, why);
        return;
    }
    if (gmtime_r(&now, &utc))
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC ", &utc);
    write_all(file, date);
    write_all(file, text);
    (void)fsync(file);
    (void)close(file);
}

static void say(const struct watchdog_plan *p, const char *text)
{
    write_report(p, text);
    write_all(STDERR_FILENO, text);
}

static void *work(void *argument)
{
    struct watchdog_teller *t = argument;
    char text[TEXT];
    for (int i = 0; i < 2; i++) {
        while (sem_wait(&t->wake) && errno == EINTR)
            ;
        if (i == 0) {
            describe_deed(t->plan, &t->deed[i], text);
            say(t->plan, text);
            describe_queues(t->plan, &t->deed[i], text);
        } else {
            describe_end(t->plan, &t->deed[i], text);
        }
        say(t->plan, text);
        (void)sem_post(&t->done);
    }
    return NULL;
}

int watchdog_teller_start(struct watchdog_teller *t, const struct watchdog_plan *plan)
{
    t->plan = plan;
    if (sem_init(&t->wake, 0, 0) || sem_init(&t->done, 0, 0))
        return errno;
    return pthread_create(&t->thread, NULL, work, t);
}

void watchdog_tell(struct watchdog_teller *t, const struct watchdog_deed *deed)
{
    t->deed[t->told++] = *deed;
    (void)sem_post(&t->wake);
}

void watchdog_teller_finish(struct watchdog_teller *t)
{
    for (int i = 0; i < t->told; i++)
        for (int ms = 0; ms < 1000 && sem_trywait(&t->done); ms++)
            (void)usleep(1000);
}
