#include "target/io/can_state.h"

#include <linux/can/error.h>

int can_state_after_error(const struct can_msg *error, int state)
{
    const unsigned passive = CAN_ERR_CRTL_RX_PASSIVE | CAN_ERR_CRTL_TX_PASSIVE;
    /* Warning is reached on the way up and on the way down: it is not passive any more. */
    const unsigned active = CAN_ERR_CRTL_RX_WARNING | CAN_ERR_CRTL_TX_WARNING | CAN_ERR_CRTL_ACTIVE;
    const unsigned controller = error->len > 1 ? error->data[1] : 0;
    if (error->id & CAN_ERR_BUSOFF)
        return CAN_BUS_OFF;
    if (error->id & CAN_ERR_RESTARTED)
        return CAN_ACTIVE;
    if (!(error->id & CAN_ERR_CRTL) || state == CAN_BUS_OFF || state == CAN_DOWN)
        return state;
    if (controller & passive)
        return CAN_PASSIVE;
    return controller & active ? CAN_ACTIVE : state;
}

void can_state_enter(struct can_port *port, int state)
{
    if (state == port->state)
        return;
    port->state = state;
    switch (state) {
    case CAN_PASSIVE:
        port->counts.passive++;
        break;
    case CAN_BUS_OFF:
        port->counts.bus_off++;
        break;
    case CAN_DOWN:
        port->counts.down++;
        break;
    default:
        port->counts.recovered++;
        break;
    }
}

void can_state_alive(struct can_port *port)
{
    if (port->state == CAN_BUS_OFF || port->state == CAN_DOWN)
        can_state_enter(port, CAN_ACTIVE);
}
