#include "target/ecu/uds_data.h"

#include <math.h>
#include <string.h>

#define DEG (3.141592653589793238463 / 180.0)
#define KMH (1.0 / 3.6)

const struct uds_item uds_item_table[UDS_ITEMS] = {
#define UDS_TEXT(did, name, bytes, access, meaning)                                                \
    {#name, NULL, meaning, 0.0, did, bytes, 0, UDS_ACCESS_##access},
#define UDS_NUMBER(did, name, bytes, sign, scale, unit, access, meaning)                           \
    {#name, unit, meaning, scale, did, bytes, sign, UDS_ACCESS_##access},
#include "target/ecu/uds_data.def"
#undef UDS_TEXT
#undef UDS_NUMBER
};

static const char system_name[] = "skidpad stand-in";

int uds_item_find(uint16_t did)
{
    for (int i = 0; i < UDS_ITEMS; i++)
        if (uds_item_table[i].did == did)
            return i;
    return -1;
}

int64_t uds_number(const uint8_t *bytes, int count, int is_signed)
{
    int64_t value = is_signed && (bytes[0] & 0x80) ? -1 : 0;
    for (int i = 0; i < count; i++)
        value = (int64_t)((uint64_t)value << 8 | bytes[i]);
    return value;
}

/* Value in the unit of the table. */
static double value_of(const struct uds_unit *u, int item)
{
    const struct ecu_state *s = u->state;
    switch (item) {
    case UDS_ITEM_session:
        return u->session;
    case UDS_ITEM_speed:
        return s->reference.speed_mps / KMH;
    case UDS_ITEM_supply:
        return u->rx->supply_V;
    case UDS_ITEM_mode:
        return s->mode;
    case UDS_ITEM_since_start:
        return s->since_start_s;
    case UDS_ITEM_master_pressure:
        return u->rx->master_Pa / ECU_BAR_PA;
    case UDS_ITEM_yaw_rate:
        return (u->rx->yaw_rate_radps - s->power.yaw_zero_radps) / DEG;
    case UDS_ITEM_lateral_acceleration:
        return u->rx->acc_y_mps2 - s->power.acc_y_zero_mps2;
    case UDS_ITEM_hand_wheel:
        return u->rx->hand_wheel_rad / DEG;
    case UDS_ITEM_starts:
        return s->power.starts;
    case UDS_ITEM_checks:
        return u->tx->valves_checked + 2.0 * u->tx->pump_checked + 4.0 * u->tx->zero_learned;
    case UDS_ITEM_yaw_zero:
        return s->power.yaw_zero_radps / DEG;
    case UDS_ITEM_acceleration_zero:
        return s->power.acc_y_zero_mps2;
    default: /* the wheels */
        return s->wheel[item - UDS_ITEM_speed_fl].speed_mps / KMH;
    }
}

static const char *text_of(const struct uds_unit *u, int item)
{
    switch (item) {
    case UDS_ITEM_vin:
        return u->identity->vin;
    case UDS_ITEM_serial_number:
        return u->identity->serial_number;
    case UDS_ITEM_software:
        return u->identity->software;
    default:
        return system_name;
    }
}

int uds_item_read(const struct uds_unit *u, int item, uint8_t *to)
{
    const struct uds_item *i = &uds_item_table[item];
    if (!i->unit) {
        memcpy(to, text_of(u, item), i->bytes);
        return i->bytes;
    }
    double most = (double)((INT64_C(1) << (8 * i->bytes - i->sign)) - 1);
    double raw = rint(value_of(u, item) / i->scale);
    raw = raw == raw ? fmin(fmax(raw, i->sign ? -most - 1.0 : 0.0), most) : 0.0;
    uint64_t bits = (uint64_t)(int64_t)raw;
    for (int k = 0; k < i->bytes; k++)
        to[k] = (uint8_t)(bits >> (8 * (i->bytes - 1 - k)));
    return i->bytes;
}

bool uds_item_write(struct uds_unit *u, int item, const uint8_t *from)
{
    const struct uds_item *i = &uds_item_table[item];
    if (item == UDS_ITEM_vin) {
        for (int k = 0; k < UDS_VIN; k++)
            if (from[k] < ' ' || from[k] > '~')
                return false;
        memcpy(u->identity->vin, from, UDS_VIN);
        return true;
    }
    double value = (double)uds_number(from, i->bytes, i->sign) * i->scale;
    struct power *power = &u->state->power;
    if (item == UDS_ITEM_yaw_zero && fabs(value * DEG) <= u->params->power.zero_yaw_radps) {
        power->yaw_zero_radps = value * DEG;
        return true;
    }
    if (item == UDS_ITEM_acceleration_zero && fabs(value) <= u->params->power.zero_acc_mps2) {
        power->acc_y_zero_mps2 = value;
        return true;
    }
    return false;
}

int uds_snapshot(const struct uds_unit *u, uint8_t *to, int room, int *count)
{
    static const uint8_t items[] = {
        UDS_ITEM_speed,       UDS_ITEM_supply,          UDS_ITEM_mode,
        UDS_ITEM_since_start, UDS_ITEM_master_pressure, UDS_ITEM_yaw_rate};
    int n = 0;
    *count = 0;
    for (size_t k = 0; k < sizeof items; k++) {
        const struct uds_item *i = &uds_item_table[items[k]];
        if (n + 2 + i->bytes > room)
            break;
        to[n] = (uint8_t)(i->did >> 8);
        to[n + 1] = (uint8_t)i->did;
        n += 2 + uds_item_read(u, items[k], to + n + 2);
        ++*count;
    }
    return n;
}
