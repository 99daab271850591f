#include "target/ecu/diag.h"

#include <string.h>

void diag_open(struct diag *d, const struct diag_ids *ids)
{
    memset(d, 0, sizeof *d);
    d->ids = *ids;
    d->setup = isotp_defaults(ids->response, ids->request);
    uds_server_reset(&d->server);
    dtc_reset(&d->store);
}

void diag_keep(const struct diag *d, const struct power *power, struct diag_kept *k)
{
    k->store = d->store;
    k->yaw_zero_radps = power->yaw_zero_radps;
    k->acc_y_zero_mps2 = power->acc_y_zero_mps2;
    k->changes = d->store.changes + d->server.changes + power->zero_total;
    memcpy(k->vin, d->server.identity.vin, UDS_VIN);
}

void diag_restore(struct diag *d, struct power *power, const struct diag_kept *k)
{
    d->store = k->store;
    d->store.present = d->store.starts = 0; /* the first cycle is another one */
    power->yaw_zero_radps = k->yaw_zero_radps;
    power->acc_y_zero_mps2 = k->acc_y_zero_mps2;
    memcpy(d->server.identity.vin, k->vin, UDS_VIN);
}

bool diag_take(struct diag *d, const struct can_msg *msg, int64_t now_ns)
{
    const uint8_t *data;
    if (d->ids.request == 0)
        return false;
    if (d->ids.functional != 0 && msg->id == d->ids.functional &&
        !(msg->flags & (CAN_MSG_OWN | CAN_MSG_ERROR | CAN_MSG_REMOTE))) {
        d->all_length = isotp_single(msg, &data);
        if (d->all_length > 0)
            memcpy(d->all, data, (size_t)d->all_length);
        return true;
    }
    return isotp_take(&d->setup, &d->link, msg, now_ns);
}

static void keep_codes(struct diag *d, const struct uds_unit *unit)
{
    uint32_t fresh = dtc_step(&d->store, &unit->state->faults, unit->state->power.starts);
    uint8_t bytes[DTC_SNAPSHOT];
    int count;
    if (!fresh)
        return;
    int n = 1 + uds_snapshot(unit, bytes + 1, DTC_SNAPSHOT - 1, &count);
    bytes[0] = (uint8_t)count;
    for (int id = 0; id < ECU_FAULTS; id++)
        if (fresh >> id & 1u)
            dtc_snapshot(&d->store, id, bytes, n);
}

static void answer(struct diag *d, struct uds_unit *unit, const uint8_t *request, int length,
                   bool functional, int64_t now_ns)
{
    int n = uds_server_answer(&d->server, &d->store, unit, request, length, functional, now_ns,
                              d->answer, ISOTP_DATA);
    if (n == 0)
        return;
    isotp_give_up(&d->link); /* an answer that is still under way: the tester no longer waits */
    (void)isotp_send(&d->setup, &d->link, d->answer, n, now_ns);
}

int diag_cycle(struct diag *d, struct uds_unit *unit, int64_t now_ns, struct can_msg *out, int room)
{
    const uint8_t *request;
    if (unit->state->power.state == ECU_POWER_ON)
        keep_codes(d, unit);
    if (unit->state->power.state == ECU_POWER_OFF) {
        isotp_reset(&d->link);
        d->all_length = 0;
        return 0;
    }
    uds_server_step(&d->server, now_ns);
    int n = isotp_message(&d->link, &request);
    if (n > 0)
        answer(d, unit, request, n, false, now_ns);
    if (d->all_length > 0)
        answer(d, unit, d->all, d->all_length, true, now_ns);
    d->all_length = 0;
    int sent =
        isotp_poll(&d->setup, &d->link, now_ns, out, room < DIAG_FRAMES ? room : (int)DIAG_FRAMES);
    if (d->server.reset && !isotp_is_sending(&d->link)) {
        d->server.reset = 0;
        unit->state->power.state = ECU_POWER_OFF; /* the next cycle is a start */
    }
    return sent;
}
