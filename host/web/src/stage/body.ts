// The car's body, made from its measures: sections along the car, skinned. Everything here is in
// the body's axes with z = 0 on the ground below the design position and x = 0 at the centre of
// gravity; car.ts moves it into place.

import * as THREE from "three";

export interface Measures {
    length_m: number;
    width_m: number;
    height_m: number;
    front_m: number; // x of the front wheel centres
    rear_m: number;
    radius_m: number[]; // of the wheels: front, rear
    wheelInner_m: number; // y of the inner side of the wheels
    centre_m?: number; // x of the middle of the length
    slender: boolean; // a low coupé rather than a saloon
}

export interface BodyMaterials {
    paint: THREE.Material;
    glass: THREE.Material;
    trim: THREE.Material;
    lamp: THREE.Material;
    tail: THREE.Material;
}

type Curve = readonly (readonly [number, number])[];

// Smooth curve through points (x falling or rising), monotone between them: no overshoot.
function curve(points: Curve, x: number): number {
    const rising = points[0][0] < points[points.length - 1][0];
    const p = rising ? points : [...points].reverse();
    if (x <= p[0][0]) return p[0][1];
    const last = p[p.length - 1];
    if (x >= last[0]) return last[1];
    let i = 0;
    while (p[i + 1][0] < x) i++;
    const secant = (k: number): number => (p[k + 1][1] - p[k][1]) / (p[k + 1][0] - p[k][0]);
    const slope = (k: number): number => {
        if (k === 0) return secant(0);
        if (k === p.length - 1) return secant(k - 1);
        const a = secant(k - 1);
        const b = secant(k);
        return a * b <= 0 ? 0 : (2 * a * b) / (a + b);
    };
    const h = p[i + 1][0] - p[i][0];
    const t = (x - p[i][0]) / h;
    const t2 = t * t;
    const t3 = t2 * t;
    return (
        (2 * t3 - 3 * t2 + 1) * p[i][1] + (t3 - 2 * t2 + t) * h * slope(i) +
        (3 * t2 - 2 * t3) * p[i + 1][1] + (t3 - t2) * h * slope(i + 1)
    );
}

// A grid of points, one row per station, to a geometry whose faces are sorted into groups.
function skin(rows: THREE.Vector3[][], group: (centre: THREE.Vector3, column: number, row: number) => number, groups: number): THREE.BufferGeometry {
    const width = rows[0].length;
    const position = new Float32Array(rows.length * width * 3);
    rows.forEach((row, r) => row.forEach((p, c) => p.toArray(position, 3 * (r * width + c))));
    const faces: number[][] = Array.from({ length: groups }, () => []);
    const centre = new THREE.Vector3();
    for (let r = 0; r + 1 < rows.length; r++) {
        for (let c = 0; c + 1 < width; c++) {
            centre.copy(rows[r][c]).add(rows[r + 1][c]).add(rows[r][c + 1]).add(rows[r + 1][c + 1]).multiplyScalar(0.25);
            const a = r * width + c;
            faces[group(centre, c, r)].push(a, a + width, a + 1, a + 1, a + width, a + width + 1);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    let start = 0;
    faces.forEach((list, g) => {
        geometry.addGroup(start, list.length, g);
        start += list.length;
    });
    geometry.setIndex(faces.flat());
    geometry.computeVertexNormals();
    return geometry;
}

export class BodyShape {
    readonly nose_m: number;
    readonly tail_m: number;
    private readonly half_m: number;
    private readonly arch_m: number[];
    private readonly deck: Curve;
    private readonly plan: Curve;
    private readonly roof: Curve;
    readonly cowl_m: number;
    readonly rearGlass_m: number;
    readonly roofFront_m: number;
    readonly roofRear_m: number;
    readonly belt_m: number;
    private readonly sill_m: number;

    constructor(private readonly m: Measures) {
        const overhang = m.length_m - (m.front_m - m.rear_m);
        const h = m.height_m;
        this.nose_m = m.centre_m === undefined ? m.front_m + 0.46 * overhang : m.centre_m + m.length_m / 2;
        this.tail_m = this.nose_m - m.length_m;
        this.half_m = m.width_m / 2;
        this.arch_m = m.radius_m.map((r) => r + 0.055);
        this.sill_m = Math.min(0.135 * h, 0.22);
        this.belt_m = 0.635 * h;
        const wheelbase = m.front_m - m.rear_m;
        this.cowl_m = m.front_m - (m.slender ? 0.24 : 0.19) * wheelbase;
        this.roofFront_m = this.cowl_m - 0.27 * wheelbase;
        this.roofRear_m = m.rear_m + (m.slender ? 0.3 : 0.19) * wheelbase;
        this.rearGlass_m = m.rear_m - (m.slender ? 0.14 : 0.1) * wheelbase;
        const bonnet = Math.max(0.56 * h, m.radius_m[0] * 2 + 0.12);
        this.deck = [
            [this.nose_m, 0.4 * h],
            [this.nose_m - 0.06, 0.465 * h],
            [this.nose_m - 0.2, 0.5 * h],
            [m.front_m + 0.1, bonnet],
            [this.cowl_m, 0.63 * h],
            [this.rearGlass_m + 0.3, 0.665 * h],
            [m.rear_m - 0.15, Math.max(0.665 * h, m.radius_m[1] * 2 + 0.14)],
            [this.tail_m + 0.1, 0.655 * h],
            [this.tail_m, 0.6 * h],
        ];
        this.plan = [
            [this.nose_m, 0.6], [this.nose_m - 0.1, 0.76], [this.nose_m - 0.35, 0.905], [m.front_m, 0.985],
            [m.front_m - 0.6, 0.965], [(m.front_m + m.rear_m) / 2, 0.972], [m.rear_m, 1.0], [this.tail_m + 0.4, 0.945],
            [this.tail_m + 0.1, 0.84], [this.tail_m, 0.72],
        ];
        this.roof = [
            [this.cowl_m, this.belt_m], [this.roofFront_m, 0.955 * h], [(this.roofFront_m + this.roofRear_m) / 2, h],
            [this.roofRear_m, 0.945 * h], [this.rearGlass_m, this.belt_m + 0.02 * h],
        ];
    }

    // Height of the lower edge: the sill, higher over a wheel and at both ends.
    private bottom(x: number): number {
        let z = this.sill_m;
        const ends: [number, number][] = [[this.m.front_m, 0], [this.m.rear_m, 1]];
        for (const [at, i] of ends) {
            const d = x - at;
            const r = this.arch_m[i];
            if (Math.abs(d) < r) z = Math.max(z, this.m.radius_m[i] + Math.sqrt(r * r - d * d));
        }
        const end = Math.min(this.nose_m - x, x - this.tail_m);
        return z + 0.05 * this.m.height_m * Math.max(0, 1 - end / 0.25) ** 2;
    }

    private stations(): number[] {
        const xs: number[] = [];
        const m = this.m;
        for (const d of [0, 0.015, 0.04, 0.075, 0.12, 0.17, 0.24, 0.33]) xs.push(this.nose_m - d, this.tail_m + d);
        const arches: [number, number][] = [[m.front_m, this.arch_m[0]], [m.rear_m, this.arch_m[1]]];
        for (const [at, r] of arches) {
            for (let k = 0; k <= 28; k++) xs.push(at - r * Math.cos((Math.PI * k) / 28));
            xs.push(at - r - 0.0005, at + r + 0.0005);
        }
        for (let x = this.tail_m + 0.4; x < this.nose_m - 0.4; x += 0.09) {
            if (arches.every(([at, r]) => Math.abs(x - at) > r + 0.04)) xs.push(x);
        }
        return xs.filter((x) => x <= this.nose_m && x >= this.tail_m).sort((a, b) => b - a);
    }

    // Half a section from sill to the middle of the deck, then mirrored.
    private section(x: number): THREE.Vector3[] {
        const h = this.m.height_m;
        const top = curve(this.deck, x);
        const low = Math.min(this.bottom(x), top - 0.03);
        const half = this.half_m * curve(this.plan, x);
        const shoulder = Math.max(low + 0.01, top - 0.075 * h);
        const side: THREE.Vector3[] = [];
        const rows = 11;
        for (let k = 0; k <= rows; k++) {
            const z = low + (shoulder - low) * (k / rows);
            // Widest a little above the wheel's centre; a crease below the belt.
            const u = (z - this.sill_m) / (this.belt_m - this.sill_m);
            const bulge = 1 - 0.075 * Math.pow(Math.abs(u - 0.45) / 0.55, 2.4);
            const crease = 0.012 * Math.exp(-(((u - 0.7) / 0.06) ** 2));
            side.push(new THREE.Vector3(x, half * (bulge + crease), z));
        }
        const edge = side[side.length - 1].y;
        const crown: THREE.Vector3[] = [];
        const steps = 9;
        for (let k = 1; k <= steps; k++) {
            const angle = (k / steps) * (Math.PI / 2);
            const e = 0.42;
            const y = edge * Math.pow(Math.cos(angle), k === steps ? 1 : e);
            crown.push(new THREE.Vector3(x, k === steps ? 0 : y, shoulder + (top - shoulder) * Math.pow(Math.sin(angle), 0.55)));
        }
        const left = [...side, ...crown];
        const right = left.slice(0, -1).reverse().map((p) => new THREE.Vector3(p.x, -p.y, p.z));
        return [...left, ...right];
    }

    shell(): THREE.BufferGeometry {
        const h = this.m.height_m;
        const rows = this.stations().map((x) => this.section(x));
        // Both ends are closed by strips to the middle line.
        const close = (row: THREE.Vector3[]): THREE.Vector3[] => row.map((p) => new THREE.Vector3(p.x, 0, p.z));
        rows.unshift(close(rows[0]));
        rows.push(close(rows[rows.length - 1]));
        // Lamps and grille are whole fields of the grid, so that their edges follow the body's lines.
        const width = rows[0].length;
        const last = rows.length - 2;
        return skin(rows, (c, column, row) => {
            const up = Math.min(column, width - 2 - column); // counted from the sill
            if (row >= 3 && row <= 6 && up >= 8 && up <= 10) return 2;
            if (row >= last - 4 && row <= last - 1 && up >= 7 && up <= 10) return 3;
            return c.z < this.sill_m + 0.035 * h ? 1 : 0;
        }, 4);
    }

    // Glass, with roof and pillars in the car's colour.
    greenhouse(): THREE.BufferGeometry {
        const h = this.m.height_m;
        const rows: THREE.Vector3[][] = [];
        const n = 44;
        const side = 6;
        const steps = 9;
        for (let i = 0; i <= n; i++) {
            const x = this.cowl_m + 0.04 + ((this.rearGlass_m - 0.04 - (this.cowl_m + 0.04)) * i) / n;
            const top = curve(this.roof, x);
            const belt = Math.min(curve(this.deck, x) - 0.035 * h, top - 0.005);
            const rise = Math.min(1, Math.max(0, (top - this.belt_m) / (h - this.belt_m)));
            const wide = this.half_m * curve(this.plan, x) * 0.9;
            const narrow = wide * (1 - 0.235 * rise);
            const edge = belt + (top - belt) * 0.84;
            const left: THREE.Vector3[] = [];
            for (let k = 0; k <= side; k++) {
                const u = k / side;
                left.push(new THREE.Vector3(x, wide + (narrow - wide) * Math.pow(u, 1.25), belt + (edge - belt) * u));
            }
            for (let k = 1; k <= steps; k++) {
                const angle = (k / steps) * (Math.PI / 2);
                const y = k === steps ? 0 : narrow * Math.pow(Math.cos(angle), 0.5);
                left.push(new THREE.Vector3(x, y, edge + (top - edge) * Math.pow(Math.sin(angle), 0.6)));
            }
            const right = left.slice(0, -1).reverse().map((p) => new THREE.Vector3(p.x, -p.y, p.z));
            rows.push([...left, ...right]);
        }
        const width = rows[0].length;
        return skin(rows, (c, column) => {
            const from = Math.min(column, width - 2 - column); // counted from the belt up
            const onRoof = c.x < this.roofFront_m + 0.03 && c.x > this.roofRear_m - 0.03;
            const pillar = from >= side - 1 && from <= side + 1;
            const rear = c.x < this.roofRear_m - 0.1 && from < side;
            const middle = Math.abs(c.x - (this.roofFront_m + this.roofRear_m) / 2 + 0.06) < 0.05 && from < side;
            if (middle) return 2;
            return pillar || rear || (onRoof && from >= side) ? 1 : 0;
        }, 3);
    }

    // The dark inside of the wheel arches.
    liners(): THREE.BufferGeometry[] {
        const made: THREE.BufferGeometry[] = [];
        const ends: [number, number][] = [[this.m.front_m, 0], [this.m.rear_m, 1]];
        for (const [x, i] of ends) {
            const depth = this.half_m * 0.93 - this.m.wheelInner_m;
            for (const s of [1, -1]) {
                // Half a tube about y, above the wheel's centre (thetaStart counts from z towards x).
                const tube = new THREE.CylinderGeometry(
                    this.arch_m[i], this.arch_m[i], depth, 28, 1, true, -Math.PI / 2, Math.PI,
                );
                tube.translate(x, s * (this.m.wheelInner_m + depth / 2), this.m.radius_m[i]);
                made.push(tube);
            }
        }
        return made;
    }

    // The dark box between the wheels that carries it all.
    floor(): THREE.BufferGeometry {
        const length = this.nose_m - this.tail_m - 0.5;
        const height = 0.27 * this.m.height_m;
        const box = new THREE.BoxGeometry(length, 2 * this.m.wheelInner_m, height);
        return box.translate((this.nose_m + this.tail_m) / 2, 0, this.sill_m + 0.015 + height / 2);
    }

    // Grille, air intake and the dark of the rear bumper, set into the fascias.
    openings(): THREE.BufferGeometry[] {
        const h = this.m.height_m;
        const bar = (x: number, z: number, width: number, height: number): THREE.BufferGeometry =>
            new THREE.CapsuleGeometry(height / 2, width - height, 6, 16).scale(0.35, 1, 1).translate(x, 0, z);
        const w = 2 * this.half_m;
        return [
            bar(this.nose_m - 0.004, 0.345 * h, 0.46 * w, 0.055 * h), bar(this.nose_m + 0.0, 0.235 * h, 0.5 * w, 0.075 * h),
            bar(this.tail_m - 0.004, 0.26 * h, 0.58 * w, 0.075 * h),
        ];
    }

    // Where the door mirrors sit.
    mirror(): THREE.Vector3 {
        return new THREE.Vector3(this.cowl_m - 0.3, this.half_m * 0.98, this.belt_m + 0.055);
    }

    eye(): THREE.Vector3 {
        return new THREE.Vector3((this.roofFront_m + this.roofRear_m) / 2 + 0.28, this.half_m * 0.4, 0.83 * this.m.height_m);
    }
}
