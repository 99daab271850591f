/* What the tests of shared/config have in common: documents from text, exact messages. */
#ifndef SKIDPAD_TEST_CONFIG_H
#define SKIDPAD_TEST_CONFIG_H

#include "shared/config/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Every document is called car.yaml. */
static inline struct cfg_doc *open_text(const char *text, int expected_rc)
{
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open_text("car.yaml", text, strlen(text), &doc), expected_rc);
    assert_non_null(doc);
    return doc;
}

/* Closes the document, which must have exactly these messages, ended by NULL. */
static inline void close_expecting(struct cfg_doc *doc, const char *const *messages)
{
    size_t count = 0;
    for (; messages[count]; count++) {
        if (count < cfg_message_count(doc))
            assert_string_equal(cfg_message(doc, count), messages[count]);
        else
            fail_msg("no message \"%s\"", messages[count]);
    }
    if (cfg_message_count(doc) > count)
        fail_msg("unexpected message \"%s\"", cfg_message(doc, count));
    assert_int_equal(cfg_ok(doc), count == 0);
    cfg_close(doc);
}

#define CLOSE_EXPECTING(doc, ...) close_expecting((doc), (const char *const[]){__VA_ARGS__, NULL})

static inline void close_clean(struct cfg_doc *doc)
{
    CLOSE_EXPECTING(doc, NULL);
}

/* A text that cannot be parsed, and the one message about it. */
static inline void assert_refused(const char *text, const char *message)
{
    CLOSE_EXPECTING(open_text(text, -EINVAL), message);
}

#endif
