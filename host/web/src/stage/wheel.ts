// A wheel with tyre, rim and brake, turning about y.

import * as THREE from "three";

export interface WheelMaterials {
    tyre: THREE.Material;
    rim: THREE.Material;
    disc: THREE.Material;
    caliper: THREE.Material;
}

function tyre(radius: number, width: number): THREE.BufferGeometry {
    const rim = radius * 0.68;
    const w = width / 2;
    const profile: [number, number][] = [
        [rim, -w * 0.86], [radius * 0.8, -w], [radius * 0.93, -w * 0.97], [radius * 0.985, -w * 0.84], [radius, -w * 0.6],
        [radius, w * 0.6], [radius * 0.985, w * 0.84], [radius * 0.93, w * 0.97], [radius * 0.8, w], [rim, w * 0.86],
    ];
    return new THREE.LatheGeometry(profile.map(([r, y]) => new THREE.Vector2(r, y)), 40);
}

function rimDish(radius: number, width: number): THREE.BufferGeometry {
    const r = radius * 0.69;
    const w = width / 2;
    const profile: [number, number][] = [
        [r * 0.9, -w * 0.8], [r, -w * 0.86], [r * 0.95, -w * 0.7], [r * 0.92, w * 0.62], [r * 0.97, w * 0.8], [r * 1.01, w * 0.87],
        [r * 0.93, w * 0.84],
    ];
    return new THREE.LatheGeometry(profile.map(([x, y]) => new THREE.Vector2(x, y)), 40);
}

// Five pairs of spokes, slightly bowed outwards at the hub.
function spokes(radius: number, width: number): THREE.BufferGeometry[] {
    const r = radius * 0.66;
    const made: THREE.BufferGeometry[] = [];
    for (let k = 0; k < 5; k++) {
        for (const side of [-1, 1]) {
            const spoke = new THREE.BoxGeometry(r * 0.92, 0.022, r * 0.115);
            spoke.translate(r * 0.48, width * 0.33, 0);
            const p = spoke.attributes.position;
            for (let i = 0; i < p.count; i++) {
                const out = p.getX(i) / r;
                p.setZ(i, p.getZ(i) * (1.25 - 0.45 * out) + side * r * (0.06 + 0.1 * out));
                p.setY(i, p.getY(i) + 0.03 * (1 - out));
            }
            spoke.computeVertexNormals();
            spoke.rotateY((2 * Math.PI * k) / 5);
            made.push(spoke);
        }
    }
    made.push(new THREE.CylinderGeometry(r * 0.2, r * 0.24, 0.035, 20).translate(0, width * 0.33 + 0.028, 0));
    return made;
}

export class Wheel {
    readonly group = new THREE.Group(); // moves with travel, steers, leans
    private readonly turning = new THREE.Group();
    private readonly design = new THREE.Vector3();

    constructor(at: readonly number[], radius: number, width: number, left: boolean, m: WheelMaterials) {
        this.design.set(at[0], at[1], at[2]);
        const outward = left ? 1 : -1;
        const mesh = (g: THREE.BufferGeometry, material: THREE.Material, parent: THREE.Group): void => {
            const made = new THREE.Mesh(g, material);
            made.castShadow = true;
            parent.add(made);
        };
        // The outer face is modelled at +y; the right side shows its mirror image.
        const face = (g: THREE.BufferGeometry): THREE.BufferGeometry => (left ? g : g.rotateZ(Math.PI));
        mesh(tyre(radius, width), m.tyre, this.turning);
        mesh(face(rimDish(radius, width)), m.rim, this.turning);
        for (const s of spokes(radius, width)) mesh(face(s), m.rim, this.turning);
        mesh(new THREE.CylinderGeometry(radius * 0.5, radius * 0.5, 0.026, 36).translate(0, outward * width * 0.1, 0), m.disc, this.turning);
        const caliper = new THREE.BoxGeometry(radius * 0.24, 0.07, radius * 0.5);
        caliper.translate(-radius * 0.44 * Math.sign(at[0]), outward * width * 0.1, radius * 0.02);
        this.group.add(this.turning);
        mesh(caliper, m.caliper, this.group);
        this.group.rotation.order = "ZXY";
    }

    set(travel_m: number, steer_rad: number, camber_rad: number, angle_rad: number): void {
        this.group.position.set(this.design.x, this.design.y, this.design.z + travel_m);
        this.group.rotation.set(camber_rad, 0, steer_rad);
        this.turning.rotation.y = angle_rad % (2 * Math.PI);
    }
}
