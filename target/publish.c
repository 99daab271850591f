#include "target/publish.h"

#include "shared/base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *b = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

static uint64_t table_hash(void)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < signal_count; i++) {
        const struct signal_info *s = &signal_table[i];
        h = mix(h, s->name, strlen(s->name));
        h = mix(h, s->unit, strlen(s->unit));
        h = mix(h, &s->type, sizeof s->type);
        h = mix(h, &s->offset, sizeof s->offset);
    }
    return h;
}

static void send_all(struct publish *p, struct publish_header *header)
{
    struct loop_record record;
    while (ring_pop(&p->loop->telemetry, &record, 1) == 1) {
        struct iovec parts[2] = {{header, sizeof *header}, {&record, sizeof record}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        header->sequence++;
        /* A host that is not there refuses, which the next datagram is told instead of being sent:
         * it goes once more. None of this is a concern of the bench. */
        ssize_t n = sendmsg(p->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == ECONNREFUSED) {
            p->refused++;
            n = sendmsg(p->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
        if (n < 0)
            p->failed++;
        else
            p->sent++;
    }
}

static void *work(void *argument)
{
    struct publish *p = argument;
    struct publish_header header = {.magic = PUBLISH_MAGIC,
                                    .version = PUBLISH_VERSION,
                                    .table_hash = table_hash(),
                                    .record_bytes = sizeof(struct loop_record)};
    const struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};
    while (!atomic_load(&p->finish)) {
        send_all(p, &header);
        (void)nanosleep(&pause, NULL);
    }
    send_all(p, &header);
    return NULL;
}

int publish_start(struct publish *p, struct loop *loop, const char *host, int port, struct err *e)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    memset(p, 0, sizeof *p);
    p->loop = loop;
    p->socket = -1;
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1)
        return err_set(e, -EINVAL, "telemetry: \"%s\" is no IPv4 address", host);
    p->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (p->socket < 0 || connect(p->socket, (const struct sockaddr *)&to, sizeof to)) {
        int error = errno;
        return err_set(e, -error, "telemetry to %s:%d: %s", host, port, strerror(error));
    }
    int error = pthread_create(&p->thread, NULL, work, p);
    p->started = error == 0;
    return error ? err_set(e, -error, "the publish thread did not start: %s", strerror(error)) : 0;
}

void publish_finish(struct publish *p)
{
    if (p->started) {
        atomic_store(&p->finish, true);
        (void)pthread_join(p->thread, NULL);
        p->started = false;
    }
    if (p->socket >= 0)
        (void)close(p->socket);
    p->socket = -1;
}
