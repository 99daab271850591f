// The car: body, wheels, lights, a steering wheel for the view from inside.

import * as THREE from "three";
import type { CarInfo } from "../protocol";
import { at, atWheels } from "../view_signals";
import { BodyShape } from "./body";
import { Wheel } from "./wheel";

const finite = (v: number, instead = 0): number => (Number.isFinite(v) ? v : instead);

export class Car {
    readonly group = new THREE.Group();
    readonly wheels: Wheel[] = [];
    readonly eye = new THREE.Vector3();
    // Height of the centre of gravity over the ground in design position.
    groundBelow_m = 0.5;
    private readonly cockpit = new THREE.Group();
    private readonly outside = new THREE.Group();
    private readonly handWheel = new THREE.Group();
    private readonly paint = new THREE.MeshPhongMaterial({ shininess: 90, specular: 0x777777, reflectivity: 0.2, combine: THREE.MixOperation });
    private readonly glass = new THREE.MeshPhongMaterial({ color: 0x0a0d12, shininess: 160, specular: 0xaaaaaa, reflectivity: 0.34, combine: THREE.MixOperation });
    private readonly rim = new THREE.MeshPhongMaterial({ color: 0xb9c0c9, shininess: 70, specular: 0x999999, reflectivity: 0.35, combine: THREE.MixOperation });
    private readonly tail = new THREE.MeshPhongMaterial({ color: 0x4a0608, emissive: 0xff0603, emissiveIntensity: 0.25, shininess: 60 });
    private readonly i = {
        x: at("x_m"), y: at("y_m"), z: at("z_m"), yaw: at("yaw_rad"), pitch: at("pitch_rad"), roll: at("roll_rad"),
        brake: at("in_brake_pedal"), hand: at("hand_wheel_rad"), master: at("master_Pa"),
        travel: atWheels("travel_m"), steer: atWheels("steer_rad"), camber: atWheels("camber_rad"), angle: atWheels("angle_rad"),
    };

    constructor(info: CarInfo) {
        this.group.rotation.order = "ZYX";
        const radius = [info.wheel_radius_m[0], info.wheel_radius_m[2]];
        this.groundBelow_m = radius[0] - info.hub_m[0][2];
        const shape = new BodyShape({
            length_m: info.length_m, width_m: info.width_m, height_m: info.height_m,
            front_m: info.hub_m[0][0], rear_m: info.hub_m[2][0], radius_m: radius,
            wheelInner_m: Math.min(...info.hub_m.map((h, k) => Math.abs(h[1]) - info.wheel_width_m[k] / 2)) - 0.04,
            ...(info.box_centre_m ? { centre_m: info.box_centre_m[0] } : {}),
            slender: info.height_m / info.width_m < 0.72,
        });
        const body = new THREE.Group();
        body.position.z = -this.groundBelow_m;
        this.addBody(body, shape);
        this.addCockpit(body, shape);
        this.group.add(body);
        const materials = {
            tyre: new THREE.MeshLambertMaterial({ color: 0x1a1c20 }),
            rim: this.rim,
            disc: new THREE.MeshPhongMaterial({ color: 0x6d7176, shininess: 50 }),
            caliper: new THREE.MeshLambertMaterial({ color: 0xd8341a }),
        };
        info.hub_m.forEach((hub, k) => {
            const wheel = new Wheel(hub, info.wheel_radius_m[k], info.wheel_width_m[k], k % 2 === 0, materials);
            this.wheels.push(wheel);
            this.group.add(wheel.group);
        });
        this.eye.copy(shape.eye());
        this.eye.z -= this.groundBelow_m;
    }

    private addBody(body: THREE.Group, shape: BodyShape): void {
        const trim = new THREE.MeshLambertMaterial({ color: 0x16191d });
        const dark = new THREE.MeshBasicMaterial({ color: 0x050607, side: THREE.DoubleSide });
        const lamp = new THREE.MeshPhongMaterial({ color: 0xe8f1ff, emissive: 0xdfeaff, emissiveIntensity: 0.6, shininess: 120 });
        const add = (g: THREE.BufferGeometry, m: THREE.Material | THREE.Material[]): void => {
            const mesh = new THREE.Mesh(g, m);
            mesh.castShadow = true;
            this.outside.add(mesh);
        };
        add(shape.shell(), [this.paint, trim, lamp, this.tail]);
        add(shape.greenhouse(), [this.glass, this.paint, trim]);
        add(shape.floor(), dark);
        for (const opening of shape.openings()) add(opening, trim);
        for (const liner of shape.liners()) add(liner, dark);
        for (const side of [1, -1]) {
            const place = shape.mirror();
            const mirror = new THREE.SphereGeometry(0.1, 16, 12).scale(0.55, 1.05, 0.68);
            mirror.translate(place.x, side * place.y, place.z);
            add(mirror, this.paint);
        }
        body.add(this.outside);
    }

    // Seen only from the driver's seat: dashboard and steering wheel.
    private addCockpit(body: THREE.Group, shape: BodyShape): void {
        const dark = new THREE.MeshLambertMaterial({ color: 0x1b1e23 });
        const eye = shape.eye();
        const dash = new THREE.Mesh(new THREE.CapsuleGeometry(0.16, 2 * eye.y + 0.45, 8, 20), dark);
        dash.position.set(eye.x + 0.72, 0, eye.z - 0.44);
        dash.scale.set(1.2, 1, 0.9);
        const ring = new THREE.Mesh(new THREE.TorusGeometry(0.185, 0.016, 12, 48), dark);
        const hub = new THREE.Mesh(new THREE.CylinderGeometry(0.06, 0.06, 0.03, 24).rotateX(Math.PI / 2), dark);
        this.handWheel.add(ring, hub);
        const accent = new THREE.MeshLambertMaterial({ color: 0xff6a22 });
        for (const angle of [0, Math.PI, -Math.PI / 2]) {
            const spoke = new THREE.Mesh(new THREE.BoxGeometry(0.15, 0.034, 0.014), dark);
            spoke.position.set(Math.cos(angle) * 0.105, Math.sin(angle) * 0.105, 0);
            spoke.rotation.z = angle;
            this.handWheel.add(spoke);
        }
        const mark = new THREE.Mesh(new THREE.TorusGeometry(0.185, 0.0175, 12, 8, 0.22), accent);
        mark.rotation.z = Math.PI / 2 - 0.11;
        this.handWheel.add(mark);
        const column = new THREE.Group();
        column.position.set(eye.x + 0.5, eye.y, eye.z - 0.31);
        // The wheel's face looks back at the driver and a little up.
        column.quaternion.setFromRotationMatrix(
            new THREE.Matrix4().makeBasis(
                new THREE.Vector3(0, -1, 0),
                new THREE.Vector3(0.36, 0, 0.93).normalize(),
                new THREE.Vector3(-0.93, 0, 0.36).normalize(),
            ),
        );
        column.add(this.handWheel);
        this.cockpit.add(dash, column);
        this.cockpit.visible = false;
        body.add(this.cockpit);
    }

    setLook(paint: number, mirror: THREE.CubeTexture): void {
        this.paint.color.set(paint);
        for (const material of [this.paint, this.glass, this.rim]) material.envMap = mirror;
    }

    setInside(inside: boolean): void {
        this.cockpit.visible = inside;
    }

    // Puts everything where the values say.
    update(v: Float32Array): void {
        const i = this.i;
        this.group.position.set(finite(v[i.x]), finite(v[i.y]), finite(v[i.z], this.groundBelow_m));
        this.group.rotation.set(finite(v[i.roll]), finite(v[i.pitch]), finite(v[i.yaw]));
        for (let k = 0; k < 4; k++) {
            this.wheels[k].set(finite(v[i.travel + k]), finite(v[i.steer + k]), finite(v[i.camber + k]), finite(v[i.angle + k]));
        }
        this.tail.emissiveIntensity = v[i.brake] > 0.02 || v[i.master] > 2e5 ? 1.5 : 0.22;
        this.handWheel.rotation.z = finite(v[i.hand]);
    }
}
