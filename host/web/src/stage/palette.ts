// Colours of the 3D view, by day (light theme) and at dusk (dark theme).

export interface Palette {
    zenith: number;
    horizon: number;
    glow: number;
    ground: number;
    gridFine: number;
    gridCoarse: number;
    asphalt: number;
    marking: number;
    path: number;
    sun: number;
    sunStrength: number;
    skyLight: number;
    groundLight: number;
    ambient: number;
    paint: number;
    exposure: number;
}

export const PALETTES: Record<"light" | "dark", Palette> = {
    light: {
        zenith: 0x5f97d0, horizon: 0xdfe8ee, glow: 0xfff2dc, ground: 0x84888c, gridFine: 0x95999d, gridCoarse: 0xb4b8bc,
        asphalt: 0x55585d, marking: 0xf4f4f0, path: 0x2f6fed, sun: 0xfff3e0, sunStrength: 2.6, skyLight: 0xcfe2f7,
        groundLight: 0x777a78, ambient: 1.25, paint: 0xe2581a, exposure: 1.0,
    },
    dark: {
        zenith: 0x142338, horizon: 0x5c7391, glow: 0xe09a6a, ground: 0x39424d, gridFine: 0x4a5562, gridCoarse: 0x66737f,
        asphalt: 0x434a54, marking: 0xc9d2dc, path: 0x59a7ff, sun: 0xffe6cf, sunStrength: 1.9, skyLight: 0x93aed6,
        groundLight: 0x2c323a, ambient: 1.5, paint: 0xff6a22, exposure: 0.92,
    },
};

// Wheels keep their colour in every panel and chart.
export const WHEEL_COLOURS = ["#4aa3ff", "#ffb238", "#2ec9a7", "#e978c8"] as const;
export const WHEEL_COLOURS_LIGHT = ["#1668c9", "#b06a00", "#00806a", "#b0318a"] as const;

export interface SurfaceStyle {
    name: string;
    colour: number;
    tint: number; // share of the colour over the ground's own
}

// What ground of this friction looks like: ice is blue, snow white, wet road dark blue.
export function surfaceStyle(friction: number): SurfaceStyle {
    if (friction < 0.18) return { name: "ice", colour: 0x9fd8ff, tint: 0.85 };
    if (friction < 0.45) return { name: "snow", colour: 0xe9f1f7, tint: 0.8 };
    if (friction < 0.75) return { name: "wet", colour: 0x3f6385, tint: 0.75 };
    return { name: "dry", colour: 0x6b6f74, tint: 0.35 };
}
