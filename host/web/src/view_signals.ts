// The signals that the 3D view, the instruments and the brake panel read, in one stream.

import { WHEELS } from "./units";

const single = [
    "x_m", "y_m", "z_m", "yaw_rad", "pitch_rad", "roll_rad",
    "vx_mps", "vy_mps", "level_ax_mps2", "level_ay_mps2",
    "in_throttle", "in_brake_pedal", "in_clutch_pedal", "hand_wheel_rad",
    "engine_radps", "gear", "master_Pa",
    "unit_speed_mps", "unit_age_s", "unit_ebd", "unit_esp", "unit_tc",
    "unit_lamp_abs", "unit_lamp_brake", "unit_lamp_esp", "unit_trouble",
    "locked", "airborne", "faults_active",
] as const;
const perWheel = [
    "travel_m", "steer_rad", "camber_rad", "spin_radps", "angle_rad", "load_N", "long_N", "lat_N",
    "kappa", "alpha_rad", "friction", "pressure_Pa", "unit_pressure_Pa", "unit_abs",
] as const;

export type SingleName = (typeof single)[number];
export type WheelName = (typeof perWheel)[number];

export const VIEW_SIGNALS: readonly string[] = [
    ...single,
    ...perWheel.flatMap((name) => WHEELS.map((wheel) => `${wheel}_${name}`)),
];

const slot = new Map(VIEW_SIGNALS.map((name, i) => [name, i]));

// Place in the sampled values; for a wheel's signal that of the first wheel, the others follow.
export function at(name: SingleName): number {
    return slot.get(name) as number;
}

export function atWheels(name: WheelName): number {
    return slot.get(`fl_${name}`) as number;
}

const wrapping = new Set<string>(["yaw_rad", "roll_rad", "pitch_rad"]);
const state = /^(gear|unit_(?!speed|age|pressure)|locked|airborne|fault|.._unit_abs)/;
export const VIEW_WRAPS = Uint8Array.from(VIEW_SIGNALS, (name) => (wrapping.has(name) ? 1 : 0));
export const VIEW_HOLDS = Uint8Array.from(VIEW_SIGNALS, (name) => (state.test(name) ? 1 : 0));
