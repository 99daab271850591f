/* Any bytes as a cannelloni datagram: frames that can be sent on and come back the same, or none.
 */
#include "target/io/cannelloni.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void expect_frame(const struct can_msg *m)
{
    const int most = m->flags & CAN_MSG_FD ? CAN_MSG_DATA : CAN_CLASSIC_DATA;
    expect(m->len <= most);
    expect((m->id & ~(CAN_ID_EXTENDED | CAN_ID_MASK)) == 0);
    for (int i = m->flags & CAN_MSG_REMOTE ? 0 : m->len; i < CAN_MSG_DATA; i++)
        expect(m->data[i] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[1 << 16];
    struct cannelloni_reader r, again;
    struct cannelloni_writer w;
    struct can_msg m, n;
    uint8_t sequence = 0, sequence_again = 0;
    const int count = cannelloni_open(&r, data, size, &sequence);
    expect(count >= -1 && (count >= 0 || !cannelloni_next(&r, &m)));
    if (count < 0)
        return 0;
    struct cannelloni_reader first = r;
    cannelloni_begin(&w, copy, sizeof copy, sequence);
    int added = 0;
    while (cannelloni_next(&r, &m)) {
        expect_frame(&m);
        expect(cannelloni_add(&w, &m));
        added++;
    }
    expect(added == count && w.count == count && w.size <= size);
    expect(cannelloni_open(&again, copy, w.size, &sequence_again) == count);
    expect(sequence_again == sequence);
    while (cannelloni_next(&first, &m)) {
        expect(cannelloni_next(&again, &n));
        expect(memcmp(&m, &n, sizeof m) == 0);
    }
    return 0;
}
