// SI inside, what people read on screens outside: km/h, deg, bar, rpm.

import type { CarInfo, SignalInfo } from "./protocol";

export const WHEELS = ["fl", "fr", "rl", "rr"] as const;
export const KMH = 3.6;
export const DEG = 180 / Math.PI;
export const BAR = 1e-5;
export const RPM = 30 / Math.PI;

export interface Display {
    label: string;
    unit: string;
    scale: number;
}

const speeds = new Set(["vx_mps", "vy_mps", "unit_speed_mps"]);

// Name of a signal without the unit at its end, in words.
function words(name: string): string {
    const wheel = WHEELS.find((w) => name.startsWith(w + "_"));
    const rest = wheel ? name.slice(3) : name;
    const text = rest.replace(/_(s|ns|us|m|mps|mps2|rad|radps|N|Nm|Pa)$/, "").replaceAll("_", " ");
    return wheel ? `${wheel.toUpperCase()} ${text}` : text;
}

// How a signal is shown: a wheel's speed as the speed of its circumference, angles in degrees.
export function display(signal: SignalInfo, car: CarInfo | null): Display {
    const label = words(signal.name);
    const spin = /^(fl|fr|rl|rr)_(sensor_)?spin_radps$/.exec(signal.name);
    if (spin && car) {
        const wheel = WHEELS.indexOf(spin[1] as (typeof WHEELS)[number]);
        const radius = car.wheel_radius_m[wheel] ?? 0.3;
        return { label: label.replace("spin", "wheel speed"), unit: "km/h", scale: radius * KMH };
    }
    if (speeds.has(signal.name)) return { label, unit: "km/h", scale: KMH };
    if (signal.name === "engine_radps") return { label: "engine speed", unit: "rpm", scale: RPM };
    switch (signal.unit) {
        case "rad":
            return { label, unit: "°", scale: DEG };
        case "rad/s":
            return { label, unit: "°/s", scale: DEG };
        case "Pa":
            return { label, unit: "bar", scale: BAR };
        case "us":
            return { label, unit: "µs", scale: 1 };
        case "m/s2":
            return { label, unit: "m/s²", scale: 1 };
        case "1":
            return { label, unit: "", scale: 1 };
        default:
            return { label, unit: signal.unit, scale: 1 };
    }
}

// Digits after the point; nothing is never negative.
export function fixed(value: number, digits: number): string {
    if (!Number.isFinite(value)) return "–";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text;
}

// Digits after the point that multiples of a step need: 2.5 one, 20 none.
export function decimals(step: number): number {
    let digits = 0;
    while (digits < 6 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits++;
    return digits;
}

// A number in about `digits` significant places, never in exponents for everyday sizes.
export function number(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 1e7 || (size > 0 && size < 1e-5)) return value.toExponential(digits - 2);
    const before = size < 1 ? 1 : Math.floor(Math.log10(size)) + 1;
    return fixed(value, Math.max(0, digits - before));
}

export function microseconds(ns: number): string {
    if (!Number.isFinite(ns)) return "–";
    const us = ns / 1000;
    if (us < 1000) return `${us.toFixed(us < 10 ? 1 : 0)} µs`;
    if (us < 1e6) return `${(us / 1000).toFixed(us < 1e4 ? 2 : 1)} ms`;
    return `${(us / 1e6).toFixed(2)} s`;
}

// Thousands apart, by a thin space.
export function count(value: number): string {
    if (!Number.isFinite(value)) return "–";
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}
