#include "rt-tests/support/ecu_car.h"
#include "rt-tests/support/lumped15_of.h"

#include "rt-tests/support/cars.h"
#include "target/ecu/ecu_load.h"
#include "target/valve_in.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void road_query(const void *road, double x_m, double y_m, struct ground_point *out)
{
    const struct ecu_road *r = road;
    bool changed = r->left2 > 0.0 && x_m >= r->change_m;
    double left = changed ? r->left2 : r->left, right = changed ? r->right2 : r->right;
    double slope = 0.0;
    *out = (struct ground_point){.friction = y_m >= 0.0 ? left : right};
    if (r->bump_m > 0.0) {
        double k = 6.283185307179586 / r->bump_every_m;
        /* left and right a quarter of a wave apart */
        double phase = k * x_m + (y_m >= 0.0 ? 0.0 : 1.5707963267948966);
        out->z_m = r->bump_m * sin(phase);
        slope = r->bump_m * k * cos(phase);
    }
    if (r->slope != 0.0) {
        out->z_m = r->slope * x_m;
        slope = r->slope;
    }
    double n = 1.0 / sqrt(1.0 + slope * slope);
    out->normal[0] = -slope * n;
    out->normal[1] = 0.0;
    out->normal[2] = n;
}

static void load_params(struct ecu_car *c, const char *name)
{
    char path[256];
    struct cfg_doc *doc = NULL;
    (void)snprintf(path, sizeof path, "config/ecu/%s.yaml", name);
    int bad = ecu_load(path, &c->params, NULL, &doc);
    if (doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad)
        fail_msg("%s cannot be loaded", path);
}

void ecu_car_open_by(struct ecu_car *c, const char *name, double friction, double speed_mps,
                     int interface)
{
    char path[256];
    memset(c, 0, sizeof *c);
    (void)snprintf(path, sizeof path, "config/vehicles/%s.yaml", name);
    c->hydraulic = interface != VALVES_OFF;
    c->vehicle = c->hydraulic ? car_load_hydraulic(path, VEHICLE_AS_FILE, 1e-3)
                              : car_load(path, VEHICLE_AS_FILE, 1e-3);
    assert_int_equal(lumped15_of(c->vehicle)->hydraulics.on, c->hydraulic);
    load_params(c, name);
    c->params.valves.interface = interface;
    c->road.left = c->road.right = friction;
    c->delay_in_ticks = 1;
    c->delay_out_ticks = 1;
    c->valve_Paps = 1500e5;
    object_defaults(&c->object);
    const struct lumped15_model *m = lumped15_of(c->vehicle);
    c->object.front_m = m->hull.centre_m.x + m->hull.half_m.x - m->cg_m.x;
    c->with_unit = true;
    ecu_car_reset(c, speed_mps);
}

void ecu_car_open(struct ecu_car *c, const char *name, double friction, double speed_mps)
{
    ecu_car_open_by(c, name, friction, speed_mps, VALVES_OFF);
}

const char *ecu_car_interface(int interface)
{
    static const char *const names[] = {"pressures", "currents", "pulses"};
    return names[interface];
}

void ecu_car_reset(struct ecu_car *c, double speed_mps)
{
    struct plant_start start = {.speed_mps = speed_mps, .gear = c->gear};
    c->ground = (struct ground){&c->road, road_query};
    lumped15_reset(lumped15_of(c->vehicle), &c->plant, &start, &c->ground);
    lumped15_ops.output(lumped15_of(c->vehicle), &c->plant, &c->out);
    sensors_reset(&c->vehicle->sensors, &c->sensors, &c->out);
    sensors_first(&c->vehicle->sensors, &c->sensors, &c->out, &c->sense);
    object_sense(&c->object, &c->out, &c->sense);
    memset(&c->in, 0, sizeof c->in);
    ecu_rx_reset(&c->rx);
    memset(&c->tx, 0, sizeof c->tx);
    memset(c->sent, 0, sizeof c->sent);
    memset(c->valve_Pa, 0, sizeof c->valve_Pa);
    for (int n = 0; n < ECU_CAR_HISTORY; n++) {
        c->past[n] = c->sense;
        c->past_out[n] = c->out;
    }
    c->in.gear = c->gear;
    c->tick = 0;
    ecu_reset(&c->unit);
    diag_open(&c->diag, &(struct diag_ids){.request = 0x760, .response = 0x768});
}

void ecu_car_close(struct ecu_car *c)
{
    free(c->vehicle);
    memset(c, 0, sizeof *c);
}

double ecu_car_time_s(const struct ecu_car *c)
{
    return 1e-3 * (double)c->tick;
}

double ecu_car_slip(const struct ecu_car *c, int wheel)
{
    double v = c->out.vel_mps[0];
    return v > 0.5 ? c->out.spin_radps[wheel] * c->params.car.radius_m[wheel] / v - 1.0 : 0.0;
}

static void arrive(struct ecu_rx *rx, int source, int64_t t_ns)
{
    rx->source[source].frames++;
    rx->source[source].faults = 0;
    rx->source[source].time_ns = t_ns;
}

static void receive(struct ecu_car *c, int64_t t_ns)
{
    uint64_t back = (uint64_t)c->delay_in_ticks;
    uint64_t at = (c->tick + ECU_CAR_HISTORY - back) % ECU_CAR_HISTORY;
    const struct sensors_out *s = &c->past[at];
    const struct plant_out *o = &c->past_out[at];
    struct ecu_rx *rx = &c->rx;
    for (int i = 0; i < WHEELS; i++) {
        rx->edges[i] = (double)(s->wheel_edges[i] % 256u);
        rx->edge_us[i] = (double)(((s->wheel_edge_ns[i] / 1000) % 65536 + 65536) % 65536);
        arrive(rx, ECU_SOURCE_FL + i, t_ns);
    }
    if (c->tick / ECU_CAR_CYCLE_TICKS % 2)
        return;
    rx->yaw_rate_radps = s->yaw_rate_radps;
    rx->acc_x_mps2 = s->force_mps2[0];
    rx->acc_y_mps2 = s->force_mps2[1];
    rx->hand_wheel_rad = s->hand_wheel_rad;
    rx->master_Pa = s->master_Pa;
    rx->brake_switch = s->brake_switch;
    rx->accelerator = o->throttle;
    rx->engine_radps = o->engine_radps;
    rx->engine_Nm = o->engine_Nm;
    rx->gear = o->gear;
    rx->engine_driver_Nm = o->engine_driver_Nm;
    rx->engine_least_Nm = o->engine_least_Nm;
    rx->engine_most_Nm = o->engine_most_Nm;
    rx->object_seen = s->object_seen;
    rx->object_m = s->object_m;
    rx->object_mps = s->object_mps;
    rx->object_left_m = s->object_left_m;
    for (int n = ECU_SOURCE_YAW_RATE; n < ECU_SOURCES; n++)
        arrive(rx, n, t_ns);
}

/* A cycle of the unit's diagnosis, perhaps with a tester beside it. */
static void run_diagnosis(struct ecu_car *c, int64_t t_ns, struct uds_tester *tester)
{
    struct uds_unit view = {.params = &c->params, .state = &c->unit, .rx = &c->rx, .tx = &c->tx};
    struct can_msg out[DIAG_FRAMES];
    int n = tester ? uds_tester_poll(tester, t_ns, out, DIAG_FRAMES) : 0;
    for (int i = 0; i < n; i++)
        assert_true(diag_take(&c->diag, &out[i], t_ns));
    n = diag_cycle(&c->diag, &view, t_ns, out, DIAG_FRAMES);
    for (int i = 0; i < n && tester; i++)
        assert_true(uds_tester_take(tester, &out[i], t_ns));
}

int ecu_car_codes(struct ecu_car *c, struct uds_code *list, int room)
{
    struct uds_tester tester;
    uint8_t request[3];
    int64_t t_ns = (int64_t)c->tick * 1000000;
    uds_tester_open(&tester, c->diag.ids.request, c->diag.ids.response);
    int n = uds_codes_request(UDS_STORED, request);
    assert_int_equal(uds_tester_ask(&tester, request, n, t_ns, ECU_CYCLE_NS * 200), 0);
    for (; uds_tester_result(&tester) == UDS_WAITING; t_ns += ECU_CYCLE_NS)
        run_diagnosis(c, t_ns, &tester);
    assert_int_equal(uds_tester_result(&tester), UDS_ANSWERED);
    return uds_codes_parse(tester.answer, tester.answer_length, list, room);
}

static void run_unit(struct ecu_car *c)
{
    int64_t t_ns = (int64_t)c->tick * 1000000;
    receive(c, t_ns);
    if (c->tamper)
        c->tamper(c, &c->rx);
    ecu_step(&c->params, &c->unit, &c->rx, &c->tx, t_ns);
    run_diagnosis(c, t_ns, NULL);
}

/* Pressures, by valves of limited speed; the driver's pressure while the valves are at rest. */
static void act_by_pressures(struct ecu_car *c, const struct ecu_tx *tx)
{
    double most = c->valve_Paps * 1e-3;
    bool control = tx->control > 0.5;
    for (int i = 0; i < WHEELS; i++) {
        double step = tx->pressure_Pa[i] - c->valve_Pa[i];
        c->valve_Pa[i] += fmin(fmax(step, -most), most);
        if (!control)
            c->valve_Pa[i] = c->out.pressure_Pa[i]; /* from where the unit goes on */
    }
    if (c->valves)
        c->valves(c, c->valve_Pa);
    c->in.brake = PLANT_BRAKE_PRESSURES;
    c->in.pressure_driver = control ? 0 : (1u << WHEELS) - 1u;
    memcpy(c->in.wheel_pressure_Pa, c->valve_Pa, sizeof c->in.wheel_pressure_Pa);
}

/* Currents of the unit's last cycle, as old as they are. */
static void act_by_valves(struct ecu_car *c, const struct ecu_tx *tx)
{
    double age_s =
        1e-3 * (double)((c->tick + (uint64_t)(ECU_CAR_CYCLE_TICKS - c->delay_out_ticks)) %
                        ECU_CAR_CYCLE_TICKS);
    struct valve_request r = {.current = {.pump = tx->pump}};
    memcpy(r.current.inlet, tx->inlet, sizeof r.current.inlet);
    memcpy(r.current.outlet, tx->outlet, sizeof r.current.outlet);
    memcpy(r.current.separation, tx->separation, sizeof r.current.separation);
    memcpy(r.current.prime, tx->prime, sizeof r.current.prime);
    memcpy(r.inlet_on_s, tx->inlet_on_s, sizeof r.inlet_on_s);
    memcpy(r.outlet_on_s, tx->outlet_on_s, sizeof r.outlet_on_s);
    c->in.brake = PLANT_BRAKE_VALVES;
    (void)valve_take(&r, c->params.valves.interface == VALVES_PWM, tx->control > 0.5, age_s, 1.0,
                     &c->in.valves);
}

/* What acts in this tick: what the unit sent a while ago. */
static void act(struct ecu_car *c)
{
    uint64_t at = c->tick + ECU_CAR_HISTORY - (uint64_t)c->delay_out_ticks;
    const struct ecu_tx *tx = &c->sent[at % ECU_CAR_HISTORY];
    if (c->hydraulic)
        act_by_valves(c, tx);
    else
        act_by_pressures(c, tx);
    c->in.engine_limit = tx->limit_active > 0.5;
    c->in.engine_limit_Nm = tx->limit_Nm;
    c->in.engine_raise = tx->raise_active > 0.5;
    c->in.engine_raise_Nm = tx->raise_Nm;
    if (c->inputs)
        c->inputs(c, &c->in);
}

void ecu_car_step(struct ecu_car *c)
{
    c->in.brake = PLANT_BRAKE_PEDAL;
    if (c->with_unit) {
        if (c->tick % ECU_CAR_CYCLE_TICKS == 0)
            run_unit(c);
        c->sent[c->tick % ECU_CAR_HISTORY] = c->tx;
        act(c);
    }
    lumped15_step(lumped15_of(c->vehicle), &c->plant, &c->in, &c->ground, 1e-3);
    lumped15_ops.output(lumped15_of(c->vehicle), &c->plant, &c->out);
    sensors_step(&c->vehicle->sensors, &c->sensors, &c->out, 1e-3, &c->sense);
    object_sense(&c->object, &c->out, &c->sense);
    assert_int_equal(c->out.fault, 0);
    c->tick++;
    c->past[c->tick % ECU_CAR_HISTORY] = c->sense;
    c->past_out[c->tick % ECU_CAR_HISTORY] = c->out;
}

void ecu_car_for(struct ecu_car *c, double time_s)
{
    uint64_t ticks = (uint64_t)(time_s * 1e3 + 0.5);
    for (uint64_t n = 0; n < ticks; n++)
        ecu_car_step(c);
}
