// The 3D view: one renderer, one scene, drawn once per frame.

import * as THREE from "three";
import type { CarInfo, Describe } from "../protocol";
import { at } from "../view_signals";
import { Cameras } from "./cameras";
import type { CameraName } from "./cameras";
import { Car } from "./car";
import { Forces } from "./forces";
import { Marks } from "./marks";
import { PALETTES } from "./palette";
import { dispose, Scenery } from "./scenery";
import { World } from "./world";

// A drawing that takes too long gets fewer pixels, then no shadows, until it keeps up. Without a
// graphics card it begins at the lowest level. localStorage "skidpad.quality" = "full" forbids that.
const QUALITY = [1, 0.8, 0.6, 0.45, 0.45];
const LOWEST = QUALITY.length - 1;
const FULL = "full";
const SLOW_MS = 24;
const FAST_MS = 17.5;

function graphics(): "card" | "software" | "none" {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) return "none";
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name) ? "software" : "card";
}

export class Stage {
    readonly cameras: Cameras;
    readonly ready: boolean;
    private readonly renderer: THREE.WebGLRenderer | null = null;
    private readonly world = new World();
    readonly scenery = new Scenery((material) => this.world.grid(material));
    private readonly forces = new Forces();
    private readonly marks = new Marks();
    private car: Car | null = null;
    private carInfo: CarInfo | null = null;
    private description: Describe | null = null;
    private theme: "light" | "dark" = "dark";
    private readonly vx = at("vx_mps");
    private level = 0;
    private readonly fixed: boolean;
    private mirror: THREE.CubeTexture | null = null;
    private settled_ms = 0;
    private average_ms = 16.7;
    private size = { width: 0, height: 0 };

    constructor(private readonly canvas: HTMLCanvasElement) {
        this.cameras = new Cameras(canvas);
        this.fixed = localStorage.getItem("skidpad.quality") === FULL;
        const kind = graphics();
        if (kind === "none") {
            this.ready = false; // every other panel works
            return;
        }
        if (kind === "software" && !this.fixed) this.level = LOWEST;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: this.level === 0, powerPreference: "high-performance" });
        this.world.sun.castShadow = this.level < LOWEST;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
        this.world.scene.add(this.scenery.group, this.forces.group, this.marks.mesh);
        this.forces.group.visible = false;
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.ready = true;
    }

    private resize(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (!this.renderer || width === 0 || height === 0) return;
        this.size = { width, height };
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * QUALITY[this.level]);
        this.renderer.setSize(width, height, false);
        this.cameras.resize(width, height);
    }

    setTheme(theme: "light" | "dark"): void {
        this.theme = theme;
        if (!this.renderer) return;
        const palette = PALETTES[theme];
        this.renderer.toneMappingExposure = palette.exposure;
        this.world.apply(palette);
        this.mirror?.dispose();
        this.mirror = this.world.mirror(palette);
        this.car?.setLook(palette.paint, this.mirror);
        this.scenery.build(this.description?.scene ?? null, palette);
    }

    describe(description: Describe): void {
        this.description = description;
        const palette = PALETTES[this.theme];
        this.scenery.build(description.scene, palette);
        this.world.slope = description.scene?.plane?.slope ?? 0;
        this.world.bank = description.scene?.plane?.bank ?? 0;
        this.marks.clear();
        if (this.car) {
            this.world.scene.remove(this.car.group);
            dispose(this.car.group);
        }
        this.car = null;
        this.carInfo = description.car;
        if (!description.car) return;
        this.car = new Car(description.car);
        if (this.mirror) this.car.setLook(palette.paint, this.mirror);
        this.world.scene.add(this.car.group);
        this.cameras.choose(this.cameras.current, this.car);
        this.forces.group.visible = this.showForces;
    }

    showForces = true;
    still = false; // everything moves on, but nothing is drawn

    choose(camera: CameraName): void {
        this.cameras.choose(camera, this.car);
    }

    clearMarks(): void {
        this.marks.clear();
    }

    // Where the car is drawn, for tests and tools.
    get carPosition(): readonly number[] {
        return this.car ? this.car.group.position.toArray() : [];
    }

    draw(values: Float32Array, dt_s: number): void {
        if (!this.renderer || this.size.width === 0) return;
        const car = this.car;
        if (car && this.carInfo) {
            car.update(values);
            car.group.updateMatrixWorld(true);
            this.marks.update(values, car, this.carInfo.wheel_radius_m, this.carInfo.wheel_width_m);
            this.forces.group.visible = this.showForces && this.cameras.current !== "cockpit";
            if (this.forces.group.visible) this.forces.update(values, car, this.carInfo.wheel_radius_m);
            this.cameras.update(car, dt_s, values[this.vx] < -1);
            this.world.follow(car.group.position, this.cameras.camera.position);
        }
        if (this.still) return;
        this.renderer.render(this.world.scene, this.cameras.camera);
        this.adapt(dt_s * 1000);
    }

    private adapt(frame_ms: number): void {
        if (!this.renderer || this.fixed || frame_ms > 1000) return;
        this.average_ms += 0.05 * (frame_ms - this.average_ms);
        this.settled_ms += frame_ms;
        if (this.settled_ms < 1500) return;
        const down = this.average_ms > SLOW_MS && this.level < LOWEST;
        const up = this.average_ms < FAST_MS && this.level > 0 && this.settled_ms > 12000;
        if (!down && !up) return;
        this.level += down ? 1 : -1;
        this.settled_ms = 0;
        this.average_ms = 20;
        this.world.sun.castShadow = this.level < LOWEST;
        this.resize();
    }
}
