// Where the eye is: behind the car, in the driver's seat, above, or where the mouse puts it.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Car } from "./car";

export const CAMERAS = ["chase", "cockpit", "top", "free"] as const;
export type CameraName = (typeof CAMERAS)[number];

const CHASE = { back_m: 6.2, up_m: 2.35, ahead_m: 2.2, settle_s: 0.28 };

export class Cameras {
    readonly camera = new THREE.PerspectiveCamera(42, 1, 0.08, 1500);
    private readonly orbit: OrbitControls;
    private name: CameraName = "chase";
    private heading = 0;
    private started = false;
    private readonly focus = new THREE.Vector3();
    private readonly step = new THREE.Vector3();
    private readonly look = new THREE.Vector3();
    private topHeight_m = 32;
    private width = 1;
    private height = 1;

    constructor(element: HTMLElement) {
        this.camera.up.set(0, 0, 1);
        this.orbit = new OrbitControls(this.camera, element);
        this.orbit.enableDamping = true;
        this.orbit.enablePan = true;
        this.orbit.minDistance = 2;
        this.orbit.maxDistance = 120;
        this.orbit.maxPolarAngle = Math.PI / 2 - 0.02;
        this.orbit.enabled = false;
        element.addEventListener(
            "wheel",
            (event) => {
                if (this.name !== "top") return;
                event.preventDefault();
                this.topHeight_m = Math.min(150, Math.max(8, this.topHeight_m * Math.exp(event.deltaY * 0.001)));
            },
            { passive: false },
        );
    }

    get current(): CameraName {
        return this.name;
    }

    choose(name: CameraName, car: Car | null): void {
        this.name = name;
        this.orbit.enabled = name === "free";
        this.camera.fov = name === "cockpit" ? 62 : name === "top" ? 36 : 42;
        this.resize(this.width, this.height);
        car?.setInside(name === "cockpit");
        if (name === "free" && car) {
            const yaw = car.group.rotation.z;
            this.focus.copy(car.group.position);
            this.orbit.target.copy(this.focus);
            this.camera.up.set(0, 0, 1);
            this.camera.position.set(5.6 * Math.cos(yaw + 0.75), 5.6 * Math.sin(yaw + 0.75), 1.5).add(this.focus);
            this.orbit.update();
        }
        this.started = false;
    }

    // The instruments cover the lower edge: from outside the car is drawn a little higher.
    resize(width: number, height: number): void {
        this.width = width;
        this.height = height;
        this.camera.aspect = width / Math.max(1, height);
        const lift = this.name === "cockpit" ? 0 : 0.21;
        this.camera.setViewOffset(width, height, 0, Math.round(lift * height), width, height);
        this.camera.updateProjectionMatrix();
    }

    update(car: Car, dt_s: number, reversing: boolean): void {
        const p = car.group.position;
        const yaw = car.group.rotation.z;
        if (this.name === "free") {
            // The eye travels with the car and keeps its side of it.
            this.step.copy(p).sub(this.focus);
            this.focus.copy(p);
            this.camera.position.add(this.step);
            this.orbit.target.add(this.step);
            this.orbit.update(dt_s);
            return;
        }
        if (this.name === "cockpit") {
            this.camera.up.set(0, 0, 1).applyEuler(car.group.rotation);
            this.camera.position.copy(car.eye);
            car.group.localToWorld(this.camera.position);
            this.look.set(car.eye.x + 10, car.eye.y * 0.9, car.eye.z - 1.15);
            car.group.localToWorld(this.look);
            this.camera.lookAt(this.look);
            return;
        }
        if (this.name === "top") {
            this.camera.up.set(1, 0, 0);
            this.camera.position.set(p.x + 4, p.y, p.z + this.topHeight_m);
            this.look.set(p.x + 4, p.y, p.z);
            this.camera.lookAt(this.look);
            return;
        }
        const wanted = yaw + (reversing ? Math.PI : 0);
        const turn = Math.atan2(Math.sin(wanted - this.heading), Math.cos(wanted - this.heading));
        this.heading += this.started ? turn * (1 - Math.exp(-dt_s / CHASE.settle_s)) : turn;
        this.started = true;
        const c = Math.cos(this.heading);
        const s = Math.sin(this.heading);
        // A narrow window needs more distance to hold the whole car.
        const far = Math.min(1.7, Math.max(1, 1.25 / this.camera.aspect));
        const back = CHASE.back_m * far;
        this.camera.up.set(0, 0, 1);
        this.camera.position.set(p.x - back * c, p.y - back * s, p.z - car.groundBelow_m + CHASE.up_m * far);
        this.look.set(p.x + CHASE.ahead_m * c, p.y + CHASE.ahead_m * s, p.z + 0.1);
        this.camera.lookAt(this.look);
    }
}
