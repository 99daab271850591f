#include "shared/can/frame_fault.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static_assert(sizeof(struct frame_fault_state) ==
                  2 * sizeof(uint32_t) +
                      FRAME_FAULTS * (2 * sizeof(uint32_t) + sizeof(struct can_msg)) +
                      FRAME_FAULT_HELD * (sizeof(int64_t) + sizeof(struct can_msg)) +
                      2 * sizeof(uint64_t),
              "no padding: states are compared and hashed as bytes");

void frame_fault_set(const struct frame_faults *f, struct frame_fault_state *s, uint32_t index,
                     bool on)
{
    if (index >= f->count)
        return;
    uint32_t bit = UINT32_C(1) << index;
    if (on && !(s->on & bit)) {
        s->fault[index].seen = 0;
        s->fault[index].last = (struct can_msg){0};
    }
    s->on = on ? s->on | bit : s->on & ~bit;
}

/* The frames that go on in this tick. */
struct output {
    struct can_msg *out;
    int count, max;
};

static void put(struct output *o, struct frame_fault_state *s, const struct can_msg *msg,
                uint32_t copies)
{
    for (uint32_t i = 0; i < copies; i++) {
        if (o->count >= o->max) {
            s->left_out += copies - i;
            return;
        }
        o->out[o->count++] = *msg;
    }
}

/* What becomes of one frame. */
struct fate {
    struct can_msg msg;
    uint32_t copies; /* 0: lost */
    uint32_t ticks;  /* delay */
};

static void change_length(struct can_msg *msg, uint8_t length)
{
    if (length < msg->len)
        memset(msg->data + length, 0, (size_t)(msg->len - length));
    msg->len = length;
}

static void freeze(const struct frame_fault *f, uint32_t first, uint32_t *frozen,
                   struct can_msg *msg)
{
    if (msg->len < f->protect.length)
        return;
    if (first)
        *frozen = protect_counter(&f->protect, msg->data);
    else
        protect_apply(&f->protect, *frozen, msg->data);
}

static void strike(const struct frame_fault *f, struct frame_fault_state *s, uint32_t index,
                   struct fate *fate)
{
    uint32_t seen = s->fault[index].seen++;
    switch ((enum frame_fault_kind)f->kind) {
    case FRAME_DROP:
        if (seen % (f->every > 0 ? f->every : 1) < f->count)
            fate->copies = 0;
        break;
    case FRAME_DELAY:
        fate->ticks += f->ticks;
        break;
    case FRAME_DUPLICATE:
        if (fate->copies > 0)
            fate->copies += f->count;
        break;
    case FRAME_FREEZE:
        freeze(f, seen == 0, &s->fault[index].frozen, &fate->msg);
        break;
    case FRAME_WRONG_SUM:
        if (f->protect.sum_at < fate->msg.len)
            fate->msg.data[f->protect.sum_at] ^= f->mask;
        break;
    case FRAME_LENGTH:
        change_length(&fate->msg, f->length);
        break;
    case FRAME_SILENCE:
        fate->copies = 0;
        break;
    case FRAME_BURST: /* the copies come at the end of the tick */
    case FRAME_FAULT_KINDS:
        break;
    }
}

static bool concerns(const struct frame_fault *f, const struct can_msg *msg)
{
    return f->all || f->id == msg->id;
}

static void pass(const struct frame_faults *f, struct frame_fault_state *s, int64_t tick,
                 const struct can_msg *msg, struct output *o)
{
    struct fate fate = {*msg, 1, 0};
    bool touched = false;
    for (uint32_t i = 0; i < f->count; i++) {
        if (s->on >> i & 1 && concerns(&f->list[i], msg)) {
            strike(&f->list[i], s, i, &fate);
            touched = true;
        }
    }
    s->touched += touched;
    for (uint32_t i = 0; touched && i < f->count; i++)
        if (f->list[i].kind == FRAME_BURST && s->on >> i & 1 && f->list[i].id == msg->id)
            s->fault[i].last = fate.msg;
    if (fate.ticks == 0) {
        put(o, s, &fate.msg, fate.copies);
        return;
    }
    for (uint32_t i = 0; i < fate.copies; i++) {
        if (s->held_count == FRAME_FAULT_HELD) {
            s->left_out++;
            continue;
        }
        s->held[s->held_count].tick = tick + fate.ticks;
        s->held[s->held_count].msg = fate.msg;
        s->held[s->held_count++].msg.time_ns += fate.ticks * f->tick_ns;
    }
}

/* Delayed frames whose time has come, in the order of arrival; the others move up. */
static void release(struct frame_fault_state *s, int64_t tick, struct output *o)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->held_count; i++) {
        if (s->held[i].tick <= tick)
            put(o, s, &s->held[i].msg, 1);
        else if (kept++ != i)
            s->held[kept - 1] = s->held[i];
    }
    s->held_count = kept;
}

static void burst(const struct frame_faults *f, struct frame_fault_state *s, struct output *o)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->list[i].kind != FRAME_BURST || !(s->on >> i & 1) || s->fault[i].seen == 0)
            continue;
        put(o, s, &s->fault[i].last, f->list[i].count);
        s->touched += f->list[i].count;
    }
}

int frame_fault_apply(const struct frame_faults *f, struct frame_fault_state *s, int64_t tick,
                      const struct can_msg *in, int n, struct can_msg *out, int max)
{
    struct output o = {out, 0, max};
    release(s, tick, &o); /* they were sent before */
    if (s->on == 0) {
        for (int i = 0; i < n; i++)
            put(&o, s, &in[i], 1);
        return o.count;
    }
    for (int i = 0; i < n; i++)
        pass(f, s, tick, &in[i], &o);
    burst(f, s, &o);
    return o.count;
}
