/* What the unit receives and what it sends, in SI units: the two sides of ecu_step().
 *
 * Every value is a double, whole numbers and switches included, so that a bus table can bind any
 * signal of a DBC file to any slot by its name; the names are in ecu_signals.def. */
#ifndef SKIDPAD_ECU_ECU_IO_H
#define SKIDPAD_ECU_ECU_IO_H

#include <stdint.h>

enum ecu_wheel { ECU_FL, ECU_FR, ECU_RL, ECU_RR, ECU_WHEELS };

/* Where received values come from. A source is good or bad as a whole; several may share a frame,
 * and several frames may make up one source. */
enum ecu_source_id {
    ECU_SOURCE_NONE = -1, /* not supervised: the last value counts */
    ECU_SOURCE_FL,        /* edges and edge time of the wheel sensor */
    ECU_SOURCE_FR,
    ECU_SOURCE_RL,
    ECU_SOURCE_RR,
    ECU_SOURCE_YAW_RATE,
    ECU_SOURCE_ACC, /* both accelerations */
    ECU_SOURCE_STEERING,
    ECU_SOURCE_BRAKE, /* master cylinder pressure and brake light switch */
    ECU_SOURCE_ENGINE,
    ECU_SOURCE_RADAR, /* not every car has one: it counts from its first frame on */
    ECU_SOURCES
};

/* What the receive supervision found wrong since the last cycle. A frame with a wrong checksum,
 * counter or length does not change the values. */
enum ecu_frame_fault {
    ECU_FRAME_TIMEOUT = 1,
    ECU_FRAME_CRC = 2,
    ECU_FRAME_COUNTER = 4,
    ECU_FRAME_LENGTH = 8
};

struct ecu_source {
    int64_t time_ns; /* arrival of the last good frame */
    uint32_t frames; /* good frames since the start; wraps; 0: none yet */
    uint32_t faults; /* enum ecu_frame_fault */
};

struct ecu_rx {
    struct ecu_source source[ECU_SOURCES];
    double edges[ECU_WHEELS];   /* tooth edges counted, modulo edge_modulus */
    double edge_us[ECU_WHEELS]; /* clock of the sender at the last edge, modulo time_modulus_us */
    double wheel_valid[ECU_WHEELS]; /* 1: the sender trusts its sensor; the other _valid likewise */
    double edge_counter; /* alive counter of the frame with the front edges, for the echo */
    double yaw_rate_valid, acc_x_valid, acc_y_valid, steering_valid, master_valid;
    double yaw_rate_radps; /* left positive */
    double acc_x_mps2;     /* specific force: acceleration less gravity, forward and left */
    double acc_y_mps2;
    double hand_wheel_rad; /* left positive */
    double master_Pa;
    double brake_switch; /* 0 or 1 */
    double accelerator;  /* pedal, 0..1 */
    double engine_radps;
    double engine_Nm;
    double gear;     /* engaged; -1 reverse, 0 neutral */
    double terminal; /* 0 off, 1 accessory, 2 ignition on, 3 engine start */
    double supply_V;
    double engine_driver_Nm; /* what the driver asks for, without requests of this unit */
    double engine_least_Nm, engine_most_Nm; /* what the engine can give now */
    double limit_possible, raise_possible;  /* 1: the engine will follow such a request */
    double object_seen;                     /* 1: the radar sees an object ahead */
    double object_m, object_mps;            /* its distance, and the change of it */
    double object_left_m;                   /* and how far to the left it is */
};

/* What the unit is able to do now. */
enum ecu_mode {
    ECU_MODE_START,    /* waits for frames, lamps on; the driver's pressure reaches the wheels */
    ECU_MODE_READY,    /* everything works */
    ECU_MODE_NO_MODEL, /* ABS works on wheel speeds alone; stability functions are off */
    ECU_MODE_EBD_ONLY, /* no ABS */
    ECU_MODE_PASSIVE   /* valves at rest: the driver's pressure reaches the wheels */
};

/* What the ignition leaves it to do, power.h. */
enum ecu_power { ECU_POWER_OFF, ECU_POWER_ON, ECU_POWER_AFTER_RUN };

/* Phases of a wheel's pressure control, docs/ecu.md. */
enum ecu_phase {
    ECU_PHASE_OFF,     /* the driver's pressure */
    ECU_PHASE_HOLD,    /* wheel slows down more than the car: pressure kept */
    ECU_PHASE_RELEASE, /* wheel leaves the stable range: pressure falls */
    ECU_PHASE_RECOVER, /* wheel runs up again: low pressure kept */
    ECU_PHASE_BUILD    /* first step near the last limit, then in small steps */
};

struct ecu_tx {
    double pressure_Pa[ECU_WHEELS]; /* asked for */
    double edge_echo;               /* edge_counter of the frame that they rest on */
    double echo_age_s;              /* and its age */
    double control;                 /* 1: these pressures act; 0: valves at rest, the driver's do */
    double phase[ECU_WHEELS];       /* enum ecu_phase */
    double active[ECU_WHEELS];      /* 1: phase is not off */
    double wheel_mps[ECU_WHEELS];   /* as measured, at the wheel */
    double reference_mps;           /* speed of the car */
    double abs_active;              /* 1: some wheel is controlled */
    double ebd_active;              /* 1: rear pressure is held back */
    double lamp_abs, lamp_brake, lamp_esp;
    double mode;        /* enum ecu_mode */
    double self_test;   /* 0 not begun, 1 runs, 2 passed, 3 failed */
    double fault_count; /* that were present since the start */
    double fault;       /* first of the present faults by enum ecu_fault_id, plus 1; 0: none */
    double power;       /* enum ecu_power; off: nothing is sent */
    double check_valve; /* that is pulsed after the start, 1 to 8; 0: none */
    double check_pump;  /* 1: the pump runs for its check */
    double valves_checked, pump_checked; /* 1: done since the start */
    double zero_learned;                 /* 1: zero points were learned since the start */
    double supply_V;                     /* as received */
    double friction;       /* use of the road's friction while a wheel is controlled, else 1 */
    double esp_active;     /* 1: a wheel is braked for stability */
    double tc_active;      /* 1: traction or drag torque control */
    double assist_active;  /* 1: panic brake assist */
    double hold_active;    /* 1: hill hold */
    double distance_stage; /* 0 none, 1 warning, 2 partial, 3 full braking */
    double brake_light;    /* 1: brakes without the driver's foot */
    double limit_active, limit_Nm; /* not more engine torque than this */
    double raise_active, raise_Nm; /* not less */
    double sideslip_rad;           /* as observed */
    double target_radps;           /* yaw rate that the car should have */
    /* Valves and pump where the bench takes them: currents as shares of full, and how long the
     * wheels' valves are on in this cycle. */
    double inlet[ECU_WHEELS], outlet[ECU_WHEELS], separation[2], prime[2], pump;
    double inlet_on_s[ECU_WHEELS], outlet_on_s[ECU_WHEELS];
};

/* Nothing received yet; what a sender need not send is as if it were fine. */
void ecu_rx_reset(struct ecu_rx *rx);

#endif
