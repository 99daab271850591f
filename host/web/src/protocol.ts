// What the page and `skidpad host` say to each other; docs/host.md describes it.
//
// Text messages are JSON objects with a "type". Binary messages carry records of signals:
// a header of 16 bytes, then `count` records of f64 time_s, f64 host_s, f32[fields], each padded to
// 8 bytes, little-endian.

export const SUBPROTOCOL = "skidpad.1";
const HEADER_BYTES = 16;

export interface Target {
    id: number;
    name: string;
    run: string;
    state: string;
    recording?: string;
    problem?: string;
}

export interface SignalInfo {
    name: string;
    unit: string;
    type: string;
    meaning: string;
}

export interface CarInfo {
    name: string;
    wheelbase_m: number;
    cg_m: number[];
    hub_m: number[][];
    wheel_radius_m: number[];
    wheel_width_m: number[];
    length_m: number;
    width_m: number;
    height_m: number;
    box_centre_m?: number[]; // of length, width and height, from the centre of gravity
}

export interface SceneInfo {
    plane?: { slope: number; bank?: number; friction: number } | null;
    road?: { left: number[][]; right: number[][]; centre: number[][]; friction: number[] } | null;
    // A measured surface: rows of `columns` points from right to left; friction of each row.
    surface?: { columns: number; points: number[][]; friction: number[] } | null;
    areas: { polygon: number[][]; friction: number; name: string }[];
    cones: number[][];
    path: number[][];
}

export interface FaultInfo {
    id: number;
    name: string;
    on: boolean;
}

export interface CodeInfo {
    code: string; // C0035-31
    name: string;
}

export interface SetupInfo {
    name: string;
    label: string;
    unit: string;
    value: number;
    min: number;
    max: number;
}

export interface Hello {
    type: "hello";
    version: number;
    host: string;
    may_command?: boolean; // the host has the key
    who?: string; // this page's name as a holder
    targets: Target[];
    refused?: Refusal[]; // at present
}

export interface Refusal {
    who: string; // name and address, as the sender says
    why: string;
    packets: number;
}

export interface Describe {
    type: "describe";
    target: number;
    run: string;
    table: string;
    period_s: number;
    publish_s: number;
    signals: SignalInfo[];
    extra?: SignalInfo[]; // of the tick itself, made by the host
    person_may_drive?: boolean;
    person_drives?: boolean; // nobody else does
    run_info: Record<string, string>;
    car: CarInfo | null;
    scene: SceneInfo | null;
    faults: FaultInfo[];
    codes?: CodeInfo[]; // the unit's trouble codes, as far as the target knows what they mean
    scenarios: string[];
    setup: SetupInfo[];
}

export interface Deadlines {
    ticks: number;
    missed: number;
    skipped: number;
    in_row: number;
    max_response_ns: number;
    max_wake_ns: number;
    switches: number;
    period_ns: number;
    histogram_ns: number[];
    wake: number[];
    response: number[];
}

export interface Status {
    type: "status";
    target: number;
    time_s: number;
    state: string;
    cause: string;
    safe?: number; // number of the safe state: what a reset has to name
    holder?: string; // who commands the bench; empty: nobody
    age_s: number;
    lost: number;
    late: number;
    clock_offset_s: number | null;
    driver?: string; // scenario, person, lost
    first_s?: number | null; // the run's time 0 on the host's clock; null: not known yet
    deadlines: Deadlines;
}

export interface BenchEvent {
    type: "event";
    target: number;
    tick: number;
    time_s: number;
    kind: string;
    late_ns: number;
    phase: string;
    value: number;
    text: string;
}

export interface Reply {
    type: "reply";
    id: number;
    ok: boolean;
    text: string;
}

export interface Pong {
    type: "pong";
    id: number;
    t: number;
    host_s: number;
}

export type Message = Hello | Describe | Status | BenchEvent | Reply | Pong;

export type Command =
    | { command: "start" | "stop" | "end" | "codes" | "take" | "release" }
    | { command: "reset"; safe: number }
    | { command: "scenario"; scenario: string }
    | { command: "fault"; fault: string | number; on: boolean }
    | { command: "setup"; name: string; value: number }
    | { command: "drive"; release: true }
    | {
          command: "drive";
          hand_wheel_rad: number;
          throttle: number;
          brake_pedal: number;
          clutch_pedal: number;
          gear: number;
      };

// A batch of records inside a received buffer: views, no copies. One instance is reused for every
// message, so that a 1 kHz stream makes no garbage beyond the buffers the browser itself makes.
export class Batch {
    target = 0;
    stream = 0;
    count = 0;
    fields = 0;
    dropped = 0;
    f64 = new Float64Array(0);
    f32 = new Float32Array(0);
    stride_f64 = 0;
    stride_f32 = 0;

    // Reads the header. False if the message is not one of ours or shorter than it claims.
    read(buffer: ArrayBuffer): boolean {
        if (buffer.byteLength < HEADER_BYTES || buffer.byteLength % 8 !== 0) return false;
        const head = new DataView(buffer, 0, HEADER_BYTES);
        if (head.getUint8(0) !== 1) return false;
        this.target = head.getUint8(1);
        this.stream = head.getUint8(2);
        this.count = head.getUint32(4, true);
        this.fields = head.getUint32(8, true);
        this.dropped = head.getUint32(12, true);
        this.stride_f32 = 4 + this.fields + (this.fields & 1);
        this.stride_f64 = this.stride_f32 / 2;
        if (HEADER_BYTES + this.count * this.stride_f32 * 4 !== buffer.byteLength) return false;
        this.f64 = new Float64Array(buffer);
        this.f32 = new Float32Array(buffer);
        return true;
    }

    time_s(record: number): number {
        return this.f64[2 + record * this.stride_f64];
    }

    host_s(record: number): number {
        return this.f64[3 + record * this.stride_f64];
    }

    // Index in f32 of the first field of a record.
    fieldsAt(record: number): number {
        return 8 + record * this.stride_f32;
    }
}

// Text of a message to an object, or null if it is not one. The host is ours, but a page must not
// fall over what it cannot read.
export function parseMessage(text: string): Message | null {
    try {
        const value: unknown = JSON.parse(text);
        if (typeof value !== "object" || value === null || !("type" in value)) return null;
        return value as Message;
    } catch {
        return null;
    }
}
