/* What browsers send: heads of requests, and frames of WebSockets. */
#include "host/sha1.h"
#include "host/web_request.h"
#include "host/websocket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- SHA-1 */

static void expect_sha1(const char *text, const char *hex)
{
    uint8_t hash[SHA1_BYTES];
    char got[2 * SHA1_BYTES + 1];
    sha1(text, strlen(text), hash);
    for (size_t i = 0; i < SHA1_BYTES; i++)
        (void)snprintf(got + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(got, hex);
}

/* Of FIPS 180-4's examples, and lengths around the end of a block (sha1sum). */
static void sha1_is_that_of_the_standard(void **state)
{
    (void)state;
    expect_sha1("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect_sha1("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    expect_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    expect_sha1("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqkl"
                "mnopqrlmnopqrsmnopqrstnopqrstu",
                "a49b2446a02c645bf419f995b67091253a04a259");
}

static void a_key_is_answered_as_the_rfc_says(void **state)
{
    (void)state;
    char accept[WEBSOCKET_ACCEPT];
    assert_true(websocket_accept("dGhlIHNhbXBsZSBub25jZQ==", accept)); /* RFC 6455, 1.3 */
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_false(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=", accept));
}

/* ---- requests */

static bool parse(const char *text, struct web_request *r)
{
    static char head[WEB_HEAD_MAX];
    size_t bytes = strlen(text);
    (void)snprintf(head, sizeof head, "%s", text);
    return web_head_bytes(head, bytes) == bytes && web_request_parse(head, bytes, r);
}

static void a_request_is_taken_apart(void **state)
{
    (void)state;
    struct web_request r = {0};
    assert_true(
        parse("GET /ws?token=1?2 HTTP/1.1\r\nHost:  a:1 \r\nX-Y: b, c\r\nEmpty:\r\n\r\n", &r));
    assert_string_equal(r.method, "GET");
    assert_string_equal(r.path, "/ws");
    assert_string_equal(r.query, "token=1?2");
    assert_string_equal(web_field(&r, "host"), "a:1");
    assert_string_equal(web_field(&r, "Empty"), "");
    assert_null(web_field(&r, "Origin"));
    assert_true(web_list_has(web_field(&r, "X-Y"), "c", false));
    assert_false(web_list_has(web_field(&r, "X-Y"), "C", false));
    assert_true(web_list_has(web_field(&r, "X-Y"), "B", true));
    assert_false(web_list_has("bc", "b", false));
    assert_false(web_list_has(NULL, "b", false));
}

static void a_field_that_comes_twice_is_none(void **state)
{
    (void)state;
    struct web_request r = {0};
    assert_true(parse("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", &r));
    assert_null(web_field(&r, "Host"));
}

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "GET / HTTP/1.0\r\n\r\n",
        "GET /  HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n\r\n",
        " / HTTP/1.1\r\n\r\n",
        "G(T / HTTP/1.1\r\n\r\n",
        "GET /\r\n\r\n",
        "\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nname : x\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\na: \033[2J\r\n\r\n",
        "GET / HTTP/1.1\na: b\r\n\r\n",
        "GET / HTTP/1.1\ra: b\r\n\r\n",
    };
    struct web_request r = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (parse(bad[i], &r))
            fail_msg("%s", bad[i]);
    char zero[] = "GET / HTTP/1.1\r\na: b\0c\r\n\r\n";
    assert_false(web_request_parse(zero, sizeof zero - 1, &r));
    char many[WEB_HEAD_MAX];
    int at = snprintf(many, sizeof many, "GET / HTTP/1.1\r\n");
    for (int i = 0; i < WEB_FIELDS; i++)
        at += snprintf(many + at, sizeof many - (size_t)at, "a: b\r\n");
    (void)snprintf(many + at, sizeof many - (size_t)at, "\r\n");
    assert_true(parse(many, &r));
    (void)snprintf(many + at, sizeof many - (size_t)at, "a: b\r\n\r\n");
    assert_false(parse(many, &r));
}

/* ---- frames */

static struct websocket_reader *reader;

static int set_up(void **state)
{
    (void)state;
    reader = calloc(1, sizeof *reader);
    return reader ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(reader);
    return 0;
}

static void came(const void *bytes, size_t count)
{
    size_t room;
    unsigned char *to = websocket_room(reader, &room);
    assert_true(room >= count);
    memcpy(to, bytes, count);
    websocket_came(reader, count);
}

/* A page's frame, with the mask 1 2 3 4. */
static size_t make(unsigned char *out, unsigned first, const char *text, size_t count)
{
    size_t at = websocket_head(WEBSOCKET_TEXT, true, count, out);
    out[0] = (unsigned char)first;
    out[1] |= 0x80;
    for (unsigned i = 0; i < 4; i++)
        out[at++] = (unsigned char)(i + 1);
    for (size_t i = 0; i < count; i++)
        out[at++] = (unsigned char)(text[i] ^ (char)(i % 4 + 1));
    return at;
}

static void frames_come_in_any_pieces(void **state)
{
    (void)state;
    unsigned char bytes[600];
    char text[300];
    struct websocket_frame f = {0};
    memset(text, 'x', sizeof text);
    size_t first = make(bytes, 0x81, "{}", 2);
    size_t all = first + make(bytes + first, 0x81, text, sizeof text);
    all += make(bytes + all, 0x8a, "12345678", 8);
    for (size_t piece = 1; piece < 40; piece += 3) {
        int frames = 0;
        for (size_t at = 0; at < all; at += piece) {
            came(bytes + at, all - at < piece ? all - at : piece);
            enum websocket_verdict v;
            while ((v = websocket_next(reader, &f)) == WEBSOCKET_FRAME) {
                static const size_t counts[] = {2, 300, 8};
                assert_int_equal(f.count, counts[frames % 3]);
                assert_int_equal(f.opcode, frames == 2 ? WEBSOCKET_PONG : WEBSOCKET_TEXT);
                assert_memory_equal(f.bytes,
                                    frames == 0   ? "{}"
                                    : frames == 1 ? text
                                                  : "12345678",
                                    f.count);
                frames++;
            }
            assert_int_equal(v, WEBSOCKET_WAIT);
        }
        assert_int_equal(frames, 3);
    }
}

static void the_longest_message_fits(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(WEBSOCKET_MESSAGE + WEBSOCKET_HEAD);
    char *text = calloc(1, WEBSOCKET_MESSAGE + 1);
    struct websocket_frame f = {0};
    assert_true(bytes && text);
    came(bytes, make(bytes, 0x81, text, WEBSOCKET_MESSAGE));
    assert_int_equal(websocket_next(reader, &f), WEBSOCKET_FRAME);
    assert_int_equal(f.count, WEBSOCKET_MESSAGE);
    free(bytes);
    free(text);
}

/* Refused by the head alone: no byte of what it announces has come. */
static void what_no_page_sends_is_refused_at_once(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        unsigned char bytes[10];
    } bad[] = {
        {4, {0x81, 0xfe, 0x80, 0x01}},                    /* 32769 bytes */
        {10, {0x81, 0xff, 0, 0, 0, 0, 0x25, 0x80, 0, 0}}, /* 600 MB */
        {10, {0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}},
        {10, {0x81, 0xff, 0, 0, 0, 0, 0, 0, 0x10, 0}}, /* 4096, not in the shortest form */
        {4, {0x81, 0xfe, 0, 100}},
        {2, {0x81, 0x05}},         /* no mask */
        {1, {0x82}},               /* binary */
        {1, {0x01}},               /* not whole */
        {1, {0x80}},               /* goes on with what was not begun */
        {1, {0xc1}},               /* a reserved bit */
        {1, {0x83}},               /* no such kind */
        {4, {0x89, 0xfe, 0, 126}}, /* a ping of 126 bytes */
        {1, {0x09}},               /* a ping in parts */
    };
    struct websocket_frame f = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memset(reader, 0, sizeof *reader);
        came(bad[i].bytes, bad[i].count);
        if (websocket_next(reader, &f) != WEBSOCKET_BAD)
            fail_msg("frame %zu", i);
    }
}

static void heads_have_the_shortest_form(void **state)
{
    (void)state;
    unsigned char head[WEBSOCKET_HEAD];
    assert_int_equal(websocket_head(WEBSOCKET_TEXT, true, 125, head), 2);
    assert_memory_equal(head, ((unsigned char[]){0x81, 125}), 2);
    assert_int_equal(websocket_head(WEBSOCKET_BINARY, false, 126, head), 4);
    assert_memory_equal(head, ((unsigned char[]){0x02, 126, 0, 126}), 4);
    assert_int_equal(websocket_head(WEBSOCKET_MORE, true, 65536, head), 10);
    assert_memory_equal(head, ((unsigned char[]){0x80, 127, 0, 0, 0, 0, 0, 1, 0, 0}), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha1_is_that_of_the_standard),
        cmocka_unit_test(a_key_is_answered_as_the_rfc_says),
        cmocka_unit_test(a_request_is_taken_apart),
        cmocka_unit_test(a_field_that_comes_twice_is_none),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test_setup_teardown(frames_come_in_any_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_longest_message_fits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_no_page_sends_is_refused_at_once, set_up, tear_down),
        cmocka_unit_test(heads_have_the_shortest_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
