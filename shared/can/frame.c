#include "shared/can/frame.h"

#include "shared/base/time.h"

enum {
    ID_STANDARD = 0x7ff,
    EXTENSION_BITS = 18, /* of a 29-bit id, sent behind the first 11 */
    STUFF_EVERY = 4,     /* worst case: behind the first 5 equal bits one stuff bit per 4 bits */
    /* delimiter of the CRC, acknowledgement and its delimiter, end of frame, pause: never stuffed
     */
    CLASSIC_TAIL = 1 + 2 + 7 + 3,
    FD_TAIL = 2 + 7 + 3, /* the delimiter of the CRC still belongs to the data */
    CLASSIC_CRC = 15
};

int can_frame_fd_length(int bytes)
{
    static const int lengths[] = {12, 16, 20, 24, 32, 48};
    if (bytes <= CAN_CLASSIC_DATA)
        return bytes < 0 ? 0 : bytes;
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        if (bytes <= lengths[i])
            return lengths[i];
    return CAN_MSG_DATA;
}

bool can_frame_valid(const struct can_msg *msg, bool fd)
{
    const uint32_t id = msg->id & ~CAN_ID_EXTENDED;
    const bool is_fd = (msg->flags & CAN_MSG_FD) != 0;
    const int fd_only = CAN_MSG_BRS | CAN_MSG_ESI;
    const int allowed = CAN_MSG_FD | fd_only | CAN_MSG_REMOTE;
    if ((msg->flags & ~allowed) != 0 || id > CAN_ID_MASK)
        return false;
    if (!(msg->id & CAN_ID_EXTENDED) && id > ID_STANDARD)
        return false;
    if (is_fd)
        return fd && !(msg->flags & CAN_MSG_REMOTE) && msg->len <= CAN_MSG_DATA &&
               can_frame_fd_length(msg->len) == msg->len;
    return (msg->flags & fd_only) == 0 && msg->len <= CAN_CLASSIC_DATA;
}

uint32_t can_frame_rank(const struct can_msg *msg)
{
    const uint32_t remote = (msg->flags & CAN_MSG_REMOTE) != 0;
    const uint32_t id = msg->id & CAN_ID_MASK;
    /* 11 bits of id, then standard: RTR, IDE = 0; extended: SRR = 1, IDE = 1, 18 bits, RTR. */
    if (msg->id & CAN_ID_EXTENDED)
        return (id >> EXTENSION_BITS) << 21 | 3u << 19 | (id & ((1u << EXTENSION_BITS) - 1)) << 1 |
               remote;
    return (id & ID_STANDARD) << 21 | remote << 20;
}

static struct can_frame_bits classic_bits(const struct can_msg *msg)
{
    /* start, id, RTR, IDE, r0, length; extended: also SRR and the rest of the id, r1 for r0 */
    const int head =
        msg->id & CAN_ID_EXTENDED ? 1 + 11 + 2 + EXTENSION_BITS + 1 + 2 + 4 : 1 + 11 + 1 + 2 + 4;
    const int data = msg->flags & CAN_MSG_REMOTE ? 0 : 8 * msg->len;
    const int stuffed = head + data + CLASSIC_CRC;
    return (struct can_frame_bits){.nominal = stuffed + (stuffed - 1) / STUFF_EVERY + CLASSIC_TAIL};
}

static struct can_frame_bits fd_bits(const struct can_msg *msg)
{
    /* start, id, RRS, IDE, FDF, res, BRS; extended: also SRR and the rest of the id */
    const int head =
        msg->id & CAN_ID_EXTENDED ? 1 + 11 + 2 + EXTENSION_BITS + 4 : 1 + 11 + 1 + 1 + 3;
    const int body = 1 + 4 + 8 * msg->len; /* ESI, length, data */
    /* stuff count and CRC with a fixed stuff bit in front and behind each four bits */
    const int check = 4 + (msg->len > 16 ? 21 : 17);
    const int head_stuff = (head - 1) / STUFF_EVERY;
    const int all_stuff = (head + body - 1) / STUFF_EVERY;
    const int fast = body + all_stuff - head_stuff + check + 1 + check / 4 + 1;
    const int slow = head + head_stuff + FD_TAIL;
    if (msg->flags & CAN_MSG_BRS)
        return (struct can_frame_bits){.nominal = slow, .data = fast};
    return (struct can_frame_bits){.nominal = slow + fast};
}

struct can_frame_bits can_frame_bits(const struct can_msg *msg)
{
    return msg->flags & CAN_MSG_FD ? fd_bits(msg) : classic_bits(msg);
}

int64_t can_frame_ns(const struct can_msg *msg, int64_t bit_rate, int64_t data_rate)
{
    const struct can_frame_bits bits = can_frame_bits(msg);
    int64_t ns = bits.nominal * NS_PER_S / bit_rate;
    if (bits.data > 0)
        ns += bits.data * NS_PER_S / data_rate;
    return ns;
}
