/* Telemetry over UDP, to a socket of this process. */
#include "target/publish.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000 };

struct datagram {
    struct publish_header header;
    struct loop_record record;
};

/* A host on a port of its own, or on the one given. */
static int listen_at(int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)*port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    const struct timeval patience = {.tv_sec = 10};
    int host = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(host >= 0);
    assert_int_equal(bind(host, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(host, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(setsockopt(host, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    *port = ntohs(at.sin_port);
    return host;
}

static void put(struct loop *l, int64_t tick)
{
    struct loop_record *r = ring_reserve(&l->telemetry);
    assert_non_null(r);
    r->tick = tick;
    ring_commit(&l->telemetry);
}

static struct loop *open_loop(void)
{
    struct loop *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->setup.period_ns = PERIOD_NS;
    assert_int_equal(loop_rings_init(l, 0.1), 0);
    return l;
}

static void close_loop(struct loop *l)
{
    loop_rings_free(l);
    free(l);
}

static void each_record_is_a_datagram_with_a_header(void **state)
{
    (void)state;
    int port = 0, host = listen_at(&port);
    struct loop *l = open_loop();
    struct publish p;
    struct err e;
    struct datagram d;
    uint64_t hash = 0;
    assert_int_equal(publish_start(&p, l, "127.0.0.1", port, &e), 0);
    for (int64_t i = 0; i < 5; i++)
        put(l, 10 * i);
    for (int64_t i = 0; i < 5; i++) {
        assert_int_equal(recv(host, &d, sizeof d, 0), sizeof d);
        assert_int_equal(d.header.magic, PUBLISH_MAGIC);
        assert_int_equal(d.header.version, PUBLISH_VERSION);
        assert_int_equal(d.header.sequence, i + 1);
        assert_int_equal(d.header.record_bytes, sizeof d.record);
        assert_int_equal(d.record.tick, 10 * i);
        assert_true(d.header.table_hash != 0 && (i == 0 || d.header.table_hash == hash));
        hash = d.header.table_hash;
    }
    publish_finish(&p);
    assert_int_equal(p.sent, 5);
    assert_int_equal(p.failed, 0);
    (void)close(host);
    close_loop(l);
}

static void a_host_may_come_later(void **state)
{
    (void)state;
    int port = 0, host = listen_at(&port);
    struct loop *l = open_loop();
    struct publish p;
    struct err e;
    struct datagram d = {0};
    (void)close(host); /* nobody listens there now */
    assert_int_equal(publish_start(&p, l, "127.0.0.1", port, &e), 0);
    for (int64_t i = 0; i < 10; i++)
        put(l, i);
    while (ring_fill(&l->telemetry) > 0)
        (void)usleep(1000);
    host = listen_at(&port);
    put(l, 1000);
    /* Arrives, though the one before it was refused; that one may have been sent so late that it
     * arrives, too. */
    do
        assert_int_equal(recv(host, &d, sizeof d, 0), sizeof d);
    while (d.record.tick == 9);
    assert_int_equal(d.record.tick, 1000);
    assert_int_equal(d.header.sequence, 11);
    publish_finish(&p);
    assert_int_equal(p.sent, 11);
    assert_true(p.refused > 0);
    (void)close(host);
    close_loop(l);
}

static void what_is_left_is_sent_at_the_end(void **state)
{
    (void)state;
    int port = 0, host = listen_at(&port);
    struct loop *l = open_loop();
    struct publish p;
    struct err e;
    assert_int_equal(publish_start(&p, l, "127.0.0.1", port, &e), 0);
    for (int64_t i = 0; i < 100; i++)
        put(l, i);
    publish_finish(&p);
    assert_int_equal(p.sent, 100);
    assert_int_equal(ring_fill(&l->telemetry), 0);
    (void)close(host);
    close_loop(l);
}

static void an_address_that_is_none_is_refused(void **state)
{
    (void)state;
    struct loop *l = open_loop();
    struct publish p;
    struct err e = {""};
    assert_true(publish_start(&p, l, "host.example", 1, &e) < 0);
    assert_non_null(strstr(e.text, "\"host.example\" is no IPv4 address"));
    publish_finish(&p); /* nothing to end */
    close_loop(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_is_a_datagram_with_a_header),
        cmocka_unit_test(a_host_may_come_later),
        cmocka_unit_test(what_is_left_is_sent_at_the_end),
        cmocka_unit_test(an_address_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
