/* Any line as one of a candump log: refused with a place, or a frame that is written as a line
 * which is read as the same frame. */
#include "shared/can/candump.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct candump_line line, again;
    int rc = candump_parse((const char *)data, size, &line);
    if (rc) {
        expect(rc == 1 || rc == -EINVAL);
        expect((rc == -EINVAL) == (line.what != NULL));
        expect(rc == 1 || (line.column >= 1 && line.column <= size + 1));
        return 0;
    }
    struct can_msg bare = line.msg;
    bare.flags &= (uint8_t)~CAN_MSG_OWN;
    expect(can_frame_valid(&bare, true) || bare.flags & CAN_MSG_ERROR);
    char text[CANDUMP_LINE];
    size_t length = candump_format(&line.msg, line.name, text);
    expect(length < CANDUMP_LINE && strlen(text) == length);
    expect(candump_parse(text, length, &again) == 0);
    line.msg.time_ns -= line.msg.time_ns % 1000;
    expect(memcmp(&line.msg, &again.msg, sizeof line.msg) == 0);
    return 0;
}
