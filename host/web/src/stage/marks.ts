// Rubber that sliding tyres leave on the ground. A fixed number of pieces, the oldest reused.

import * as THREE from "three";
import { at, atWheels } from "../view_signals";
import type { Car } from "./car";

const PIECES = 6000;
const STEP_M = 0.18;
const VERTICES = 4;

export class Marks {
    readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
    private readonly position: THREE.BufferAttribute;
    private readonly colour: THREE.BufferAttribute;
    private next = 0; // piece to write
    private used = 0;
    private readonly last: { x: number; y: number; lx: number; ly: number; z: number; dark: number; known: boolean }[] = [];
    private readonly hub = new THREE.Vector3();
    private readonly i = {
        kappa: atWheels("kappa"), alpha: atWheels("alpha_rad"), load: atWheels("load_N"), vx: at("vx_mps"), vy: at("vy_mps"),
        friction: atWheels("friction"),
    };

    constructor() {
        const count = PIECES * VERTICES;
        this.position = new THREE.BufferAttribute(new Float32Array(count * 3), 3).setUsage(THREE.DynamicDrawUsage);
        this.colour = new THREE.BufferAttribute(new Uint8Array(count * 4), 4, true).setUsage(THREE.DynamicDrawUsage);
        const index = new Uint32Array(PIECES * 6);
        for (let q = 0; q < PIECES; q++) {
            const a = q * VERTICES;
            index.set([a, a + 1, a + 2, a + 1, a + 3, a + 2], q * 6);
        }
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", this.position);
        geometry.setAttribute("color", this.colour);
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        geometry.setDrawRange(0, 0);
        this.mesh = new THREE.Mesh(
            geometry,
            new THREE.MeshBasicMaterial({
                vertexColors: true, transparent: true, depthWrite: false, side: THREE.DoubleSide,
                polygonOffset: true, polygonOffsetFactor: -3, polygonOffsetUnits: -6,
            }),
        );
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = 4;
        for (let k = 0; k < 4; k++) this.last.push({ x: 0, y: 0, lx: 0, ly: 0, z: 0, dark: 0, known: false });
    }

    clear(): void {
        this.next = this.used = 0;
        this.mesh.geometry.setDrawRange(0, 0);
        for (const l of this.last) l.known = false;
    }

    update(v: Float32Array, car: Car, radius_m: readonly number[], width_m: readonly number[]): void {
        const i = this.i;
        const speed = Math.hypot(v[i.vx], v[i.vy]);
        for (let k = 0; k < 4; k++) {
            const l = this.last[k];
            car.wheels[k].group.getWorldPosition(this.hub);
            const moved = Math.hypot(this.hub.x - l.x, this.hub.y - l.y);
            if (l.known && moved < STEP_M) continue;
            const slip = Math.hypot(v[i.kappa + k], Math.tan(v[i.alpha + k]));
            const loaded = v[i.load + k] > 300 && speed > 0.7 ? 1 : 0;
            // Snow and ice keep no rubber, but show where a wheel slid.
            const ground = v[i.friction + k] < 0.5 ? 0.35 : 0.8;
            const dark = loaded * ground * Math.min(1, Math.max(0, (slip - 0.09) / 0.35));
            const heading = Math.atan2(this.hub.y - l.y, this.hub.x - l.x);
            const half = 0.42 * width_m[k];
            const lx = -Math.sin(heading) * half;
            const ly = Math.cos(heading) * half;
            const z = this.hub.z - radius_m[k] + 0.012;
            if (l.known && moved < 3 && (dark > 0 || l.dark > 0)) {
                this.piece(k, l.lx === 0 && l.ly === 0 ? lx : l.lx, l.lx === 0 && l.ly === 0 ? ly : l.ly, lx, ly, z, dark);
            }
            l.lx = dark > 0 ? lx : 0;
            l.ly = dark > 0 ? ly : 0;
            l.x = this.hub.x;
            l.y = this.hub.y;
            l.z = z;
            l.dark = dark;
            l.known = true;
        }
    }

    private piece(k: number, ax: number, ay: number, bx: number, by: number, z: number, dark: number): void {
        const l = this.last[k];
        const a = this.next * VERTICES;
        this.next = (this.next + 1) % PIECES;
        this.used = Math.max(this.used, this.next === 0 ? PIECES : this.next);
        this.mesh.geometry.setDrawRange(0, this.used * 6);
        // Only the new piece goes to the graphics card.
        for (const attribute of [this.position, this.colour]) {
            attribute.addUpdateRange(a * attribute.itemSize, VERTICES * attribute.itemSize);
            attribute.needsUpdate = true;
        }
        this.position.setXYZ(a, l.x + ax, l.y + ay, l.z);
        this.position.setXYZ(a + 1, l.x - ax, l.y - ay, l.z);
        this.position.setXYZ(a + 2, this.hub.x + bx, this.hub.y + by, z);
        this.position.setXYZ(a + 3, this.hub.x - bx, this.hub.y - by, z);
        this.colour.setXYZW(a, 0, 0, 0, l.dark);
        this.colour.setXYZW(a + 1, 0, 0, 0, l.dark);
        this.colour.setXYZW(a + 2, 0, 0, 0, dark);
        this.colour.setXYZW(a + 3, 0, 0, 0, dark);
    }
}
