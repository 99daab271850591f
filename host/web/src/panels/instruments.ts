// Speed, engine, steering, pedals, acceleration.

import { Attribute, byId, Style, Text } from "../dom";
import { DEG, fixed, KMH, RPM } from "../units";
import { at } from "../view_signals";

const G = 9.80665;
const TRAIL = 40;

// Scale of a dial that suits the car: grows when it is exceeded.
class Dial {
    private readonly arc: Style;
    private top: number;
    constructor(
        arc: string,
        private readonly ticks: SVGElement,
        top: number,
        private readonly step: number,
        private readonly shown: (v: number) => string,
    ) {
        this.arc = new Style(byId<SVGElement>(arc), "stroke-dashoffset");
        this.top = top;
        this.drawTicks();
    }

    private drawTicks(): void {
        this.ticks.replaceChildren();
        for (let v = 0; v <= this.top + 1e-6; v += this.step) {
            const angle = ((135 + (270 * v) / this.top) * Math.PI) / 180;
            const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
            text.setAttribute("x", (60 + 40.5 * Math.cos(angle)).toFixed(1));
            text.setAttribute("y", (63 + 40.5 * Math.sin(angle)).toFixed(1));
            text.textContent = this.shown(v);
            this.ticks.append(text);
        }
    }

    set(value: number): void {
        const v = Math.abs(value);
        if (v > this.top && Number.isFinite(v)) {
            this.top = Math.ceil(v / this.step) * this.step;
            this.drawTicks();
        }
        const share = Number.isFinite(v) ? Math.min(1, v / this.top) : 0;
        this.arc.set((100 - 100 * share).toFixed(1));
    }
}

export class Instruments {
    private readonly speedDial = new Dial("speed-arc", byId<SVGElement>("speed-ticks"), 200, 40, String);
    private readonly rpmDial = new Dial("rpm-arc", byId<SVGElement>("rpm-ticks"), 7000, 1000, (v) => String(v / 1000));
    private readonly speed = new Text(byId("speed"));
    private readonly rpm = new Text(byId("rpm"));
    private readonly gear = new Text(byId("gear"));
    private readonly steer = new Text(byId("steer"));
    private readonly gg = new Text(byId("gg"));
    private readonly wheel = new Attribute(byId("hand-wheel"), "transform");
    private readonly pedals = ["clutch", "brake", "throttle"].map((name) => new Style(byId(`pedal-${name}`), "transform"));
    private readonly dot = new Attribute(byId("gg-dot"), "transform");
    private readonly trail = new Attribute(byId("gg-trail"), "points");
    private readonly past = new Float32Array(2 * TRAIL);
    private pastAt = 0;
    private readonly i = {
        vx: at("vx_mps"), vy: at("vy_mps"), engine: at("engine_radps"), gear: at("gear"), hand: at("hand_wheel_rad"),
        clutch: at("in_clutch_pedal"), brake: at("in_brake_pedal"), throttle: at("in_throttle"),
        ax: at("level_ax_mps2"), ay: at("level_ay_mps2"),
    };

    // Bars and needles move every frame; numbers change at a pace that can be read.
    update(v: Float32Array, numbers: boolean): void {
        const i = this.i;
        const speed = Math.hypot(v[i.vx], v[i.vy]) * KMH;
        this.speedDial.set(speed);
        this.rpmDial.set(v[i.engine] * RPM);
        const hand = v[i.hand] * DEG;
        this.wheel.set(Number.isFinite(hand) ? `rotate(${(-hand).toFixed(1)})` : "");
        const pedals = [v[i.clutch], v[i.brake], v[i.throttle]];
        pedals.forEach((p, k) => this.pedals[k].set(`scaleY(${Number.isFinite(p) ? p.toFixed(3) : 0})`));
        const gx = v[i.ax] / G;
        const gy = v[i.ay] / G;
        // Ahead is up; what pushes the driver is the other way round, this is the car's own.
        this.dot.set(Number.isFinite(gx + gy) ? `translate(${(-gy * 41).toFixed(1)} ${(-gx * 41).toFixed(1)})` : "");
        if (!numbers) return;
        this.past[2 * this.pastAt] = -gy * 41;
        this.past[2 * this.pastAt + 1] = -gx * 41;
        this.pastAt = (this.pastAt + 1) % TRAIL;
        let points = "";
        for (let k = 0; k < TRAIL; k++) {
            const p = 2 * ((this.pastAt + k) % TRAIL);
            if (Number.isFinite(this.past[p])) points += `${this.past[p].toFixed(1)},${this.past[p + 1].toFixed(1)} `;
        }
        this.trail.set(points);
        this.speed.set(fixed(speed, 0));
        this.rpm.set(fixed(Math.round((v[i.engine] * RPM) / 10) * 10, 0));
        const gear = v[i.gear];
        this.gear.set(!Number.isFinite(gear) ? "–" : gear < 0 ? "R" : gear === 0 ? "N" : gear.toFixed(0));
        this.steer.set(fixed(hand, 0));
        this.gg.set(fixed(Math.hypot(gx, gy), 2));
    }
}
