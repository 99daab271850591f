// Pressures, slips and speeds of the wheels, the unit's lamps.

import { Attribute, byId, make, Style, Text } from "../dom";
import type { CarInfo } from "../protocol";
import { BAR, fixed, KMH, WHEELS } from "../units";
import { at, atWheels } from "../view_signals";

const NAMES = ["front left", "front right", "rear left", "rear right"];
const FULL_BAR = 160;
const FULL_SLIP = 0.5;

class WheelCell {
    readonly element: HTMLElement;
    private readonly speed: Text;
    private readonly pressure: Text;
    private readonly slip: Text;
    private readonly pressureBar: Style;
    private readonly asked: Style;
    private readonly slipBar: Style;
    private readonly active: Attribute;
    private readonly grip: Text;

    constructor(k: number) {
        const out = (): HTMLElement => make("output", {}, "–");
        const speed = out();
        const pressure = out();
        const slip = out();
        const grip = make("span", { class: "grip" });
        const pressureBar = make("i", { class: "bar" });
        const asked = make("i", { class: "asked" });
        const slipBar = make("i", { class: "bar" });
        this.element = make(
            "div",
            { class: `wheel ${WHEELS[k]}`, role: "group", "aria-label": `Wheel ${NAMES[k]}`, "data-abs": "0" },
            make(
                "div", { class: "wheel-head" },
                make("b", {}, WHEELS[k].toUpperCase()), make("span", { class: "abs-flag" }, "ABS"), grip,
                make("span", { class: "value" }, speed, make("small", {}, "km/h")),
            ),
            make(
                "div", { class: "wheel-row" },
                make("span", { class: "name" }, "pressure"), make("div", { class: "meter pressure" }, pressureBar, asked), make("span", { class: "value" }, pressure, make("small", {}, "bar")),
            ),
            make("div", { class: "wheel-row" }, make("span", { class: "name" }, "slip"), make("div", { class: "meter slip" }, slipBar), make("span", { class: "value" }, slip, make("small", {}, "%"))),
        );
        this.speed = new Text(speed);
        this.pressure = new Text(pressure);
        this.slip = new Text(slip);
        this.grip = new Text(grip);
        this.pressureBar = new Style(pressureBar, "transform");
        this.asked = new Style(asked, "left");
        this.slipBar = new Style(slipBar, "transform");
        this.active = new Attribute(this.element, "data-abs");
    }

    bars(pressure_bar: number, asked_bar: number, slip: number, abs: boolean): void {
        const share = (v: number, full: number): number => (Number.isFinite(v) ? Math.max(-1, Math.min(1, v / full)) : 0);
        this.pressureBar.set(`scaleX(${Math.max(0, share(pressure_bar, FULL_BAR)).toFixed(3)})`);
        this.asked.set(`${(100 * Math.max(0, share(asked_bar, FULL_BAR))).toFixed(1)}%`);
        this.slipBar.set(`scaleX(${share(slip, FULL_SLIP).toFixed(3)})`);
        this.active.set(abs ? "1" : "0");
    }

    numbers(speed_kmh: number, pressure_bar: number, slip: number, friction: number, locked: boolean, airborne: boolean): void {
        this.speed.set(fixed(speed_kmh, 1));
        this.pressure.set(fixed(pressure_bar, 1));
        this.slip.set(fixed(100 * slip, 1));
        this.grip.set(airborne ? "no load" : locked && Math.abs(speed_kmh) < 0.5 ? "locked" : Number.isFinite(friction) ? `µ ${friction.toFixed(2)}` : "");
    }
}

export class Brakes {
    private readonly cells = WHEELS.map((_, k) => new WheelCell(k));
    private readonly lamps = ["abs", "esp", "ebd", "tc", "brake"].map((name) => new Attribute(byId(`lamp-${name}`), "data-on"));
    private readonly lampTitles = ["abs", "esp", "ebd", "tc", "brake"].map((name) => new Attribute(byId(`lamp-${name}`), "aria-label"));
    private readonly master = new Text(byId("master"));
    private readonly unitSpeed = new Text(byId("unit-speed"));
    private readonly unitAge = new Text(byId("unit-age"));
    private hasUnit = true;
    private radius_m: readonly number[] = [0.3, 0.3, 0.3, 0.3];
    private readonly i = {
        spin: atWheels("spin_radps"), pressure: atWheels("pressure_Pa"), asked: atWheels("unit_pressure_Pa"), kappa: atWheels("kappa"),
        abs: atWheels("unit_abs"), friction: atWheels("friction"), locked: at("locked"), airborne: at("airborne"), master: at("master_Pa"),
        speed: at("unit_speed_mps"), age: at("unit_age_s"), ebd: at("unit_ebd"), esp: at("unit_esp"), tc: at("unit_tc"),
        lampAbs: at("unit_lamp_abs"), lampBrake: at("unit_lamp_brake"), lampEsp: at("unit_lamp_esp"),
    };

    constructor() {
        byId("wheels").append(...this.cells.map((cell) => cell.element));
    }

    describe(car: CarInfo | null, hasUnit: boolean): void {
        if (car) this.radius_m = car.wheel_radius_m;
        this.hasUnit = hasUnit;
    }

    // A lamp that the unit switches on tells of a fault; one that flickers with its control is lit
    // while the control acts.
    private lamp(k: number, warning: number, acts: boolean, name: string): void {
        const on = warning > 0 ? "2" : acts ? "1" : "0";
        this.lamps[k].set(on);
        this.lampTitles[k].set(`${name}: ${on === "2" ? "warning" : on === "1" ? "acts" : "off"}`);
    }

    // Bars and needles move every frame; numbers change at a pace that can be read.
    update(v: Float32Array, numbers: boolean): void {
        const i = this.i;
        let abs = false;
        for (let k = 0; k < 4; k++) {
            const pressure = v[i.pressure + k] * BAR;
            const acts = v[i.abs + k] > 0;
            abs ||= acts;
            this.cells[k].bars(pressure, v[i.asked + k] * BAR, v[i.kappa + k], acts);
            if (!numbers) continue;
            const bit = 1 << k;
            this.cells[k].numbers(
                v[i.spin + k] * this.radius_m[k] * KMH, pressure, v[i.kappa + k], v[i.friction + k],
                (v[i.locked] & bit) !== 0, (v[i.airborne] & bit) !== 0,
            );
        }
        this.lamp(0, v[i.lampAbs], abs, "Anti-lock control");
        this.lamp(1, v[i.lampEsp], v[i.esp] > 0, "Stability control");
        this.lamp(2, 0, v[i.ebd] > 0, "Brake force distribution");
        this.lamp(3, 0, v[i.tc] > 0, "Traction control");
        this.lamp(4, v[i.lampBrake], false, "Brake system");
        if (!numbers) return;
        this.master.set(fixed(v[i.master] * BAR, 1));
        this.unitSpeed.set(fixed(this.hasUnit ? v[i.speed] * KMH : NaN, 1));
        this.unitAge.set(fixed(this.hasUnit && v[i.age] >= 0 ? v[i.age] * 1000 : NaN, 1));
    }
}
