/* Any frames at any time to an end of ISO-TP that also sends: messages have a length that exists,
 * sent frames are frames, nothing goes on for ever. The input is a row of steps: one byte says what
 * (0 to 64: a frame of so many bytes; above: time passes, or a message is sent), its bytes follow.
 */
#include "shared/can/isotp.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void poll(const struct isotp_setup *p, struct isotp *s, int64_t now_ns)
{
    struct can_msg out[4];
    int n = isotp_poll(p, s, now_ns, out, 4);
    expect(n >= 0 && n <= 4);
    for (int i = 0; i < n; i++)
        expect(can_frame_valid(&out[i], true) && out[i].id == p->send_id);
}

static void take(const struct isotp_setup *p, struct isotp *s, const uint8_t *bytes, size_t n,
                 int64_t now_ns)
{
    struct can_msg m = {.id = p->receive_id, .len = (uint8_t)n};
    const uint8_t *message;
    m.flags = n > CAN_CLASSIC_DATA ? CAN_MSG_FD : 0;
    memcpy(m.data, bytes, n);
    expect(isotp_take(p, s, &m, now_ns));
    int length = isotp_message(s, &message);
    expect(length >= 0 && length <= ISOTP_DATA);
    uint8_t sum = 0;
    for (int i = 0; i < length; i++)
        sum = (uint8_t)(sum + message[i]); /* all of it can be read */
    s->errors[0] += sum == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t frame_bytes[] = {8, 12, 32, 64};
    static struct isotp s;
    struct isotp_setup p = isotp_defaults(0x768, 0x760);
    int64_t now_ns = 0;
    if (size < 4)
        return 0;
    p.frame_bytes = frame_bytes[data[0] % 4];
    p.block_size = data[1];
    p.st_min = data[2];
    p.no_padding = data[3] & 1;
    isotp_reset(&s);
    for (size_t at = 4; at < size;) {
        size_t what = data[at++], left = size - at;
        if (what <= CAN_MSG_DATA) {
            size_t n = what < left ? what : left;
            take(&p, &s, data + at, n, now_ns);
            at += n;
        } else if (what < 0xf0) {
            now_ns += (int64_t)(what - CAN_MSG_DATA) * 10 * NS_PER_MS;
        } else if (left > 0) {
            (void)isotp_send(&p, &s, data + at, (int)left, now_ns);
        }
        poll(&p, &s, now_ns);
    }
    /* In the end both directions come to rest. */
    for (int n = 0; n < 3000 && (isotp_is_sending(&s) || s.receiving); n++) {
        now_ns += NS_PER_S;
        poll(&p, &s, now_ns);
    }
    expect(!isotp_is_sending(&s) && !s.receiving);
    return 0;
}
