// A person drives: keyboard or gamepad to hand wheel, pedals and gear, sent 50 times a second.
//
// Input counts as lost when the window loses the focus, the gamepad goes away or the connection
// breaks. Then the page stops sending, and the target reacts: throttle off, gentle braking to rest,
// steering held and then centred. Sending resumes with the window, the gamepad, a key or a click.

const SEND_MS = 20;
const LOCK_RAD = 7.5; // at standstill
const STEER_RADPS = 7.0;
const CENTRE_RADPS = 9.0;
const PEDAL_PER_S = 3.2;
const RELEASE_PER_S = 6.0;
const GEAR_AUTOMATIC = 100;

export interface DriveInput {
    hand_wheel_rad: number;
    throttle: number;
    brake_pedal: number;
    clutch_pedal: number;
    gear: number;
}

export interface Held {
    left: boolean;
    right: boolean;
    up: boolean;
    down: boolean;
}

const toward = (value: number, goal: number, step: number): number =>
    value < goal ? Math.min(goal, value + step) : Math.max(goal, value - step);

// How far keys turn the hand wheel at a speed: full lock asks for 1 g at most from about 20 km/h on.
export function keyLock(speed_mps: number): number {
    return LOCK_RAD / (1 + (Math.max(0, speed_mps) / 7) ** 2) + 0.5;
}

// Keys are on or off; hands and feet are not. One step of dt_s.
export function steer(input: DriveInput, held: Held, speed_mps: number, dt_s: number): void {
    const lock = keyLock(speed_mps);
    const side = (held.left ? 1 : 0) - (held.right ? 1 : 0);
    const rate = (side === 0 || side * input.hand_wheel_rad < 0 ? CENTRE_RADPS : STEER_RADPS) * Math.min(1, 0.25 + lock / LOCK_RAD);
    input.hand_wheel_rad = toward(input.hand_wheel_rad, side * lock, rate * dt_s);
    input.throttle = toward(input.throttle, held.up ? 1 : 0, (held.up ? PEDAL_PER_S : RELEASE_PER_S) * dt_s);
    input.brake_pedal = toward(input.brake_pedal, held.down ? 0.85 : 0, (held.down ? PEDAL_PER_S : RELEASE_PER_S) * dt_s);
}

// A stick with a dead zone, finer about its middle.
export function stick(value: number): number {
    const beyond = Math.max(0, Math.abs(value) - 0.06) / 0.94;
    return Math.sign(value) * Math.pow(beyond, 1.6);
}

const KEYS: Record<string, keyof Held> = {
    ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right", ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down",
};

export interface DriveHandlers {
    send(input: DriveInput): void;
    release(): void;
    changed(): void;
    speed_mps(): number;
}

export class Drive {
    on = false;
    lost = false;
    source: "keyboard" | "gamepad" = "keyboard";
    readonly input: DriveInput = { hand_wheel_rad: 0, throttle: 0, brake_pedal: 0, clutch_pedal: 0, gear: GEAR_AUTOMATIC };
    private readonly held: Held = { left: false, right: false, up: false, down: false };
    private timer = 0;
    private last_ms = 0;
    private hadPad = false;
    private shiftDown = false;

    constructor(private readonly handlers: DriveHandlers) {
        addEventListener("blur", () => this.lose());
        addEventListener("focus", () => this.regain());
        addEventListener("gamepadconnected", () => this.regain());
        document.addEventListener("visibilitychange", () => (document.hidden ? this.lose() : this.regain()));
    }

    toggle(): void {
        this.on = !this.on;
        this.letGo();
        if (this.on) {
            this.lost = false;
            Object.assign(this.input, { hand_wheel_rad: 0, throttle: 0, brake_pedal: 0, clutch_pedal: 0, gear: GEAR_AUTOMATIC });
            this.last_ms = performance.now();
            this.timer = window.setInterval(() => this.tick(), SEND_MS);
        } else {
            clearInterval(this.timer);
            this.handlers.release();
        }
        this.handlers.changed();
    }

    hint(): string {
        if (this.lost) return "Input lost: the car takes its foot off and brakes gently. Click here to go on.";
        if (this.source === "gamepad") return "You drive: left stick steers, triggers are the pedals, shoulder buttons reverse and forwards";
        return `You drive: arrows or WASD, ${this.input.gear < 0 ? "E forwards" : "Q reverse"}, G gives the car back`;
    }

    // The host refuses, or the run is over: nothing to give back.
    giveUp(): void {
        this.on = false;
        clearInterval(this.timer);
        this.letGo();
        this.handlers.changed();
    }

    private letGo(): void {
        this.held.left = this.held.right = this.held.up = this.held.down = false;
    }

    lose(): void {
        this.letGo();
        if (!this.on || this.lost) return;
        this.lost = true;
        this.handlers.changed();
    }

    regain(): void {
        if (!this.on || !this.lost) return;
        this.lost = false;
        Object.assign(this.input, { hand_wheel_rad: 0, throttle: 0, brake_pedal: 0 });
        this.last_ms = performance.now();
        this.handlers.changed();
    }

    // True if the key belongs to driving and was taken.
    key(event: KeyboardEvent, down: boolean): boolean {
        if (!this.on) return false;
        const which = KEYS[event.code];
        if (which) {
            if (down) this.regain();
            this.held[which] = down;
            return true;
        }
        if (!down || event.repeat) return event.code === "KeyQ" || event.code === "KeyE";
        if (event.code === "KeyE") this.shift(1);
        else if (event.code === "KeyQ") this.shift(-1);
        else return false;
        return true;
    }

    // Forwards the gearbox shifts by itself.
    private shift(by: number): void {
        this.input.gear = by < 0 ? -1 : GEAR_AUTOMATIC;
        this.handlers.changed();
    }

    private readPad(): boolean {
        const pads = navigator.getGamepads ? navigator.getGamepads() : [];
        let pad: Gamepad | null = null;
        for (const p of pads) if (p?.connected) pad = p;
        if (!pad) {
            if (this.hadPad && this.source === "gamepad") {
                this.hadPad = false;
                this.source = "keyboard";
                this.lose();
            }
            return false;
        }
        this.hadPad = true;
        const steering = stick(pad.axes[0] ?? 0);
        const throttle = pad.buttons[7]?.value ?? 0;
        const brake = pad.buttons[6]?.value ?? 0;
        const touched = steering !== 0 || throttle > 0.02 || brake > 0.02;
        if (touched && this.source !== "gamepad") {
            this.source = "gamepad";
            this.handlers.changed();
        }
        const anyKey = this.held.left || this.held.right || this.held.up || this.held.down;
        if (anyKey || this.source !== "gamepad") {
            if (anyKey && this.source === "gamepad") {
                this.source = "keyboard";
                this.handlers.changed();
            }
            return false;
        }
        this.input.hand_wheel_rad = -steering * Math.max(keyLock(this.handlers.speed_mps()), 2.5);
        this.input.throttle = throttle;
        this.input.brake_pedal = brake;
        const shift = (pad.buttons[5]?.pressed ? 1 : 0) - (pad.buttons[4]?.pressed ? 1 : 0);
        if (shift !== 0 && !this.shiftDown) this.shift(shift);
        this.shiftDown = shift !== 0;
        return true;
    }

    private tick(): void {
        const now_ms = performance.now();
        const dt_s = Math.min(0.1, (now_ms - this.last_ms) / 1000);
        this.last_ms = now_ms;
        if (this.lost) return;
        if (!this.readPad() && !this.lost) steer(this.input, this.held, this.handlers.speed_mps(), dt_s);
        if (this.lost) return;
        this.handlers.send(this.input);
    }
}
