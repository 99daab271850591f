// What the page decides: is the data old, how do keys steer, in which units are signals shown.
import test from "node:test";
import assert from "node:assert/strict";
import { judge } from "../../../host/web/src/health";
import type { Facts } from "../../../host/web/src/health";
import { keyLock, steer, stick } from "../../../host/web/src/drive";
import { parseCodes, statusWords } from "../../../host/web/src/panels/codes";
import { EventLines, words } from "../../../host/web/src/panels/events";
import { count, decimals, display, fixed, microseconds, number } from "../../../host/web/src/units";
import { at, atWheels, VIEW_HOLDS, VIEW_SIGNALS, VIEW_WRAPS } from "../../../host/web/src/view_signals";

const fine: Facts = { linkOpen: true, everOpen: true, tries: 0, hasTarget: true, age_s: 0.01, hostAge_s: 0.002, state: "running", cause: "none", begun: true, scenario: "slalom", personDrives: false, refused: [] };

test("fresh data of a running target is shown as such", () => {
    assert.deepEqual(judge(fine), { state: "running", word: "running", banners: [], old: false, ready: null });
});

test("a stop before the start is a safe state, not old data", () => {
    const h = judge({ ...fine, state: "safe", cause: "operator stop", begun: false, age_s: Infinity });
    assert.deepEqual([h.state, h.old, h.banners.map((b) => b.kind)], ["safe", false, ["safe"]]);
});

test("data older than half a second is old, whoever noticed", () => {
    assert.equal(judge({ ...fine, age_s: 0.49 }).old, false);
    for (const f of [{ age_s: 0.51 }, { hostAge_s: 0.51 }, { state: "lost" }, { linkOpen: false }, { age_s: Infinity }]) {
        const h = judge({ ...fine, ...f });
        assert.deepEqual([h.state, h.old, h.banners[0].kind], ["stale", true, "stale"], JSON.stringify(f));
    }
});

test("the safe state names its cause and stays visible when the data is old as well", () => {
    const h = judge({ ...fine, state: "safe", cause: "unit silent" });
    assert.deepEqual([h.state, h.old], ["safe", false]);
    assert.match(h.banners[0].text, /unit silent/);
    const both = judge({ ...fine, state: "safe", cause: "unit silent", linkOpen: false });
    assert.deepEqual(both.banners.map((b) => b.kind), ["safe", "stale"]);
});

test("a page that never got in says what to do; an ended run is not a lost one", () => {
    assert.equal(judge({ ...fine, everOpen: false, linkOpen: false, tries: 1 }).state, "connecting");
    const refused = judge({ ...fine, everOpen: false, linkOpen: false, tries: 3 });
    assert.match(refused.banners[0].text, /token/);
    const ended = judge({ ...fine, state: "ended", age_s: 20 });
    assert.deepEqual([ended.state, ended.old, ended.banners[0].kind], ["ended", true, "ended"]);
});

test("a sender that the host refuses is named, with or without a run", () => {
    const refused = [{ who: '"other" at 10.0.0.2:4000', why: "has another key than this host" }];
    for (const hasTarget of [true, false]) {
        const h = judge({ ...fine, hasTarget, refused });
        assert.deepEqual(h.banners.map((b) => b.kind), ["sender"]);
        assert.match(h.banners[0].text, /"other" at 10.0.0.2:4000 has another key/);
    }
});

test("a run that waits, and no run at all: what to do", () => {
    const waits = judge({ ...fine, state: "waiting", age_s: Infinity });
    assert.deepEqual([waits.state, waits.old, waits.ready?.start, waits.banners.length], ["waiting", false, true, 0]);
    assert.match(waits.ready?.text ?? "", /slalom/);
    assert.doesNotMatch(waits.ready?.text ?? "", /wheel/);
    assert.match(judge({ ...fine, state: "waiting", personDrives: true }).ready?.text ?? "", /take the wheel/);
    const nothing = judge({ ...fine, hasTarget: false, state: "" });
    assert.deepEqual([nothing.state, nothing.old, nothing.ready?.start], ["waiting", true, false]);
    assert.match(nothing.ready?.text ?? "", /skidpad run/);
});

test("trouble codes are read as the target tells them", () => {
    assert.deepEqual(parseCodes("C0035-31 status 0xAF, U0100-87 status 0x28, and 3 more"), {
        codes: [{ code: "C0035-31", status: "present, lamp" }, { code: "U0100-87", status: "stored" }], more: 3,
    });
    assert.deepEqual(parseCodes("no trouble code"), { codes: [], more: 0 });
    assert.equal(parseCodes("the unit does not answer"), null);
    assert.deepEqual([0x04, 0x50, 0x8f].map(statusWords), ["pending", "passed", "present, lamp"]);
});

const none = { left: false, right: false, up: false, down: false };
const input = () => ({ hand_wheel_rad: 0, throttle: 0, brake_pedal: 0, clutch_pedal: 0, gear: 100 });

test("keys steer smoothly, stop at the lock and come back to the middle", () => {
    const i = input();
    let before = 0;
    for (let k = 0; k < 300; k++) {
        steer(i, { ...none, left: true }, 10, 0.02);
        assert.ok(i.hand_wheel_rad - before < 0.2, "no jump");
        before = i.hand_wheel_rad;
    }
    assert.equal(i.hand_wheel_rad, keyLock(10));
    for (let k = 0; k < 300; k++) steer(i, none, 10, 0.02);
    assert.equal(i.hand_wheel_rad, 0);
    steer(i, { ...none, right: true }, 10, 0.02);
    assert.ok(i.hand_wheel_rad < 0, "right is negative");
});

test("pedals stay between 0 and 1; faster cars get less steering", () => {
    const i = input();
    for (let k = 0; k < 100; k++) steer(i, { ...none, up: true, down: true }, 0, 0.02);
    assert.deepEqual([i.throttle, i.brake_pedal], [1, 0.85]);
    for (let k = 0; k < 100; k++) steer(i, none, 0, 0.02);
    assert.deepEqual([i.throttle, i.brake_pedal], [0, 0]);
    assert.ok(keyLock(40) < keyLock(10) && keyLock(10) < keyLock(0));
});

test("a stick has a dead zone and its full range", () => {
    assert.equal(stick(0.05) === 0, true);
    assert.equal(stick(1), 1);
    assert.equal(stick(-1), -1);
    assert.ok(Math.abs(stick(0.5)) < 0.5);
});

test("signals are shown in units of screens", () => {
    const car = { wheel_radius_m: [0.3, 0.3, 0.3, 0.31] } as Parameters<typeof display>[1];
    const show = (name: string, unit: string) => display({ name, unit, type: "f64", meaning: "" }, car);
    assert.deepEqual(show("vx_mps", "m/s"), { label: "vx", unit: "km/h", scale: 3.6 });
    const wheel = show("rr_spin_radps", "rad/s");
    assert.deepEqual([wheel.label, wheel.unit], ["RR wheel speed", "km/h"]);
    assert.ok(Math.abs(wheel.scale - 0.31 * 3.6) < 1e-12);
    assert.equal(show("fl_pressure_Pa", "Pa").unit, "bar");
    assert.ok(Math.abs(show("yaw_rad", "rad").scale * Math.PI - 180) < 1e-9);
    assert.ok(Math.abs(show("engine_radps", "rad/s").scale * 2 * Math.PI - 60) < 1e-9);
    assert.deepEqual(show("fl_travel_mps", "m/s"), { label: "FL travel", unit: "m/s", scale: 1 });
});

test("numbers, times and counts as people read them", () => {
    assert.deepEqual([fixed(-0.04, 1), fixed(-0.06, 1), fixed(NaN, 1), number(-0.0001, 3)], ["0.0", "-0.1", "–", "0.00"]);
    assert.deepEqual([20, 2.5, 0.25, 0.1, 5e-6].map(decimals), [0, 1, 2, 1, 6]);
    assert.deepEqual([number(0), number(3.14159), number(-1234.56), number(NaN), number(1e9)], ["0.000", "3.142", "-1235", "–", "1.00e+9"]);
    assert.deepEqual([microseconds(900), microseconds(45600), microseconds(1.5e6), microseconds(2.5e9)], ["0.9 µs", "46 µs", "1.50 ms", "2.50 s"]);
    assert.equal(count(1234567), "1\u2009234\u2009567");
});

test("every signal of the view has a place of its own", () => {
    assert.equal(new Set(VIEW_SIGNALS).size, VIEW_SIGNALS.length);
    assert.equal(VIEW_SIGNALS[at("gear")], "gear");
    assert.equal(VIEW_SIGNALS[atWheels("load_N") + 3], "rr_load_N");
    assert.equal(VIEW_WRAPS[at("yaw_rad")], 1);
    assert.deepEqual([VIEW_HOLDS[at("gear")], VIEW_HOLDS[at("unit_age_s")], VIEW_HOLDS[atWheels("unit_abs")], VIEW_HOLDS[atWheels("unit_pressure_Pa")]], [1, 0, 1, 0]);
});

const event = (time_s: number, kind: string, text: string, more = {}) => ({ type: "event" as const, target: 0, tick: 0, time_s, kind, late_ns: 0, phase: "", value: 0, text, ...more });

test("events that repeat share a line, with their number, first and last time", () => {
    const lines = new EventLines();
    for (let i = 0; i < 100; i++) {
        lines.add(event(1 + 0.1 * i, "link", "chassis: bus passive"));
        lines.add(event(1 + 0.1 * i, "link", "chassis: bus active"));
    }
    lines.add(event(12, "safe", "operator stop"));
    assert.deepEqual(lines.newest(10).map((l) => [l.text, l.count]), [["operator stop", 1], ["chassis: bus active", 100], ["chassis: bus passive", 100]]);
    const [line] = lines.newest(1, "link");
    assert.deepEqual([line.first_s, line.last_s.toFixed(1), lines.total, lines.begun], [1, "10.9", 201, 3]);
    lines.add(event(17, "link", "chassis: bus active")); // after a pause: another line
    assert.deepEqual(lines.newest(2).map((l) => [l.text, l.count, l.first_s]), [["chassis: bus active", 1, 17], ["operator stop", 1, 12]]);
});

test("counts in texts add up, late ticks show the worst of their phase", () => {
    const lines = new EventLines();
    for (const n of [3, 4]) lines.add(event(1, "link", `chassis: frames lost +${n}`));
    for (const [late_ns, phase] of [[2000, "step"], [9000, "step"], [1000, "send"]] as const) lines.add(event(1, "missed", "", { late_ns, phase }));
    assert.deepEqual(lines.newest(3).map(words), ["send, late by 1.0 µs", "step, late by up to 9.0 µs", "chassis: frames lost +7"]);
});

test("what people did is never put together, and lines are bounded", () => {
    const lines = new EventLines();
    for (let i = 0; i < 3; i++) lines.add(event(1, "request", "7 safe by anna: done"));
    assert.equal(lines.newest(10, "request").length, 3);
    for (let i = 0; i < 1000; i++) lines.add(event(2 + i, "link", `unit ${i}`));
    assert.equal(lines.newest(10000).length, 300);
    assert.deepEqual(lines.kinds(), ["link", "request"]);
    lines.clear();
    assert.deepEqual([lines.newest(10), lines.kinds(), lines.total], [[], [], 0]);
});
