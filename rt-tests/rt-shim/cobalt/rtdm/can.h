/* The numbers of frames and errors are those of SocketCAN. */
#ifndef SKIDPAD_SHIM_RTDM_CAN_H
#define SKIDPAD_SHIM_RTDM_CAN_H

#include <rtdm/rtdm.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <linux/sockios.h>
#include <net/if.h>

enum {
    CAN_STATE_ERROR_ACTIVE,
    CAN_STATE_ERROR_WARNING,
    CAN_STATE_ERROR_PASSIVE,
    CAN_STATE_BUS_OFF,
    CAN_STATE_SCANNING_BAUDRATE,
    CAN_STATE_STOPPED,
    CAN_STATE_SLEEPING
};

struct can_ifreq {
    union {
        char ifrn_name[IFNAMSIZ];
    } ifr_ifrn;
    union {
        int state;
        int ifru_ivalue;
        char room[16];
    } ifr_ifru;
};

#define SIOCGCANSTATE              _IOWR(RTDM_CLASS_CAN, 0x06, struct can_ifreq)
#define RTCAN_RTIOC_TAKE_TIMESTAMP _IOW(RTDM_CLASS_CAN, 0x09, int)
#define RTCAN_TAKE_TIMESTAMPS      1
#define RTCAN_RTIOC_SND_TIMEOUT    _IOW(RTDM_CLASS_CAN, 0x0b, nanosecs_rel_t)

/* Lists of sockets and devices, files that are written when they are asked for. */
const char *shim_can_sockets(void);
const char *shim_can_devices(void);
#define RTCAN_PROC_SOCKETS shim_can_sockets()
#define RTCAN_PROC_DEVICES shim_can_devices()

#endif
