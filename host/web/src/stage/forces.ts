// Tyre forces as arrows from the contact patches, inside the circle that the ground allows.

import * as THREE from "three";
import { at, atWheels } from "../view_signals";
import type { Car } from "./car";

const METRES_PER_N = 1 / 4500;
const MIN_M = 0.04;

class Arrow {
    readonly group = new THREE.Group();
    private readonly shaft: THREE.Mesh;
    private readonly head: THREE.Mesh;

    // Along +x of its group.
    constructor(material: THREE.Material, radius_m: number) {
        this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius_m, radius_m, 1, 12).rotateZ(-Math.PI / 2).translate(0.5, 0, 0), material);
        this.head = new THREE.Mesh(new THREE.ConeGeometry(radius_m * 2.6, radius_m * 6, 16).rotateZ(-Math.PI / 2), material);
        this.group.add(this.shaft, this.head);
        this.shaft.renderOrder = this.head.renderOrder = 6;
    }

    set(length_m: number): void {
        this.group.visible = length_m > MIN_M;
        this.shaft.scale.x = Math.max(length_m - 0.06, 0.01);
        this.head.position.x = Math.max(length_m - 0.05, 0.02);
    }
}

export class Forces {
    readonly group = new THREE.Group();
    private readonly along: Arrow[] = [];
    private readonly up: Arrow[] = [];
    private readonly circles: THREE.Mesh[] = [];
    private readonly hub = new THREE.Vector3();
    private readonly i = {
        yaw: at("yaw_rad"), steer: atWheels("steer_rad"), load: atWheels("load_N"), long: atWheels("long_N"), lat: atWheels("lat_N"),
        friction: atWheels("friction"),
    };

    constructor() {
        const force = new THREE.MeshBasicMaterial({ color: 0xffb000 });
        const load = new THREE.MeshBasicMaterial({ color: 0x36d3b4, transparent: true, opacity: 0.85 });
        const circle = new THREE.MeshBasicMaterial({
            color: 0xffb000, transparent: true, opacity: 0.5, depthWrite: false, side: THREE.DoubleSide,
        });
        for (let k = 0; k < 4; k++) {
            this.along.push(new Arrow(force, 0.028));
            const up = new Arrow(load, 0.018);
            up.group.rotation.y = -Math.PI / 2;
            this.up.push(up);
            const ring = new THREE.Mesh(new THREE.RingGeometry(0.975, 1, 64), circle);
            ring.renderOrder = 5;
            this.circles.push(ring);
            this.group.add(this.along[k].group, up.group, ring);
        }
    }

    update(v: Float32Array, car: Car, radius_m: readonly number[]): void {
        const i = this.i;
        for (let k = 0; k < 4; k++) {
            car.wheels[k].group.getWorldPosition(this.hub);
            const ground = this.hub.z - radius_m[k];
            const heading = v[i.yaw] + v[i.steer + k];
            const fx = v[i.long + k];
            const fy = v[i.lat + k];
            const arrow = this.along[k];
            arrow.group.position.set(this.hub.x, this.hub.y, ground + 0.05);
            arrow.group.rotation.z = heading + Math.atan2(fy, fx);
            arrow.set(Math.hypot(fx, fy) * METRES_PER_N);
            // The load's arrow stands beside the wheel, where it is seen.
            const out = k % 2 === 0 ? 0.22 : -0.22;
            const up = this.up[k];
            up.group.position.set(this.hub.x - Math.sin(v[i.yaw]) * out, this.hub.y + Math.cos(v[i.yaw]) * out, ground);
            up.set(Math.max(0, v[i.load + k]) * METRES_PER_N);
            const reach = Math.max(0, v[i.friction + k] * v[i.load + k]) * METRES_PER_N;
            const circle = this.circles[k];
            circle.visible = reach > MIN_M;
            circle.position.set(this.hub.x, this.hub.y, ground + 0.03);
            circle.scale.setScalar(Math.max(reach, 0.01));
        }
    }
}
