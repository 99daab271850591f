// Sky, light and the endless ground. Axes as in the model: x forward, y left, z up.

import * as THREE from "three";
import type { Palette } from "./palette";

const SKY_RADIUS_M = 900;
const GROUND_M = 1600;
const SHADOW_M = 9;

export class World {
    readonly scene = new THREE.Scene();
    readonly sun = new THREE.DirectionalLight(0xffffff, 2);
    private readonly skyLight = new THREE.HemisphereLight(0xffffff, 0x888888, 1);
    private readonly sky: THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial>;
    private readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshLambertMaterial>;
    private readonly gridFine = { value: new THREE.Color() };
    private readonly gridCoarse = { value: new THREE.Color() };
    private readonly fog = new THREE.Fog(0xffffff, 60, 520);
    private readonly sunDirection = new THREE.Vector3(-0.45, 0.55, 0.72).normalize();
    slope = 0; // of the plane: height per metre ahead
    bank = 0; // and to the left

    constructor() {
        this.sky = new THREE.Mesh(
            new THREE.SphereGeometry(SKY_RADIUS_M, 32, 24),
            new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.BackSide, fog: false, depthWrite: false }),
        );
        this.sky.geometry.rotateX(Math.PI / 2);
        this.sky.geometry.setAttribute(
            "color",
            new THREE.BufferAttribute(new Float32Array(this.sky.geometry.attributes.position.count * 3), 3),
        );
        this.sky.renderOrder = -10;
        // Nothing lies below the ground, so it leaves no depth: what is painted on it never flickers.
        const material = new THREE.MeshLambertMaterial({ depthWrite: false });
        this.grid(material);
        this.ground = new THREE.Mesh(new THREE.PlaneGeometry(GROUND_M, GROUND_M), material);
        this.ground.receiveShadow = true;
        this.ground.renderOrder = -5;
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        const box = this.sun.shadow.camera;
        box.left = box.bottom = -SHADOW_M / 2;
        box.right = box.top = SHADOW_M / 2;
        box.near = 1;
        box.far = 40;
        this.sun.shadow.bias = -0.0008;
        this.sun.shadow.normalBias = 0.02;
        this.sun.shadow.radius = 3;
        this.scene.add(this.sky, this.ground, this.sun, this.sun.target, this.skyLight);
        this.scene.fog = this.fog;
    }

    // For everything that lies flat on the ground.
    grid(material: THREE.MeshLambertMaterial): void {
        material.onBeforeCompile = (shader) => this.addGrid(shader);
        material.customProgramCacheKey = () => "grid";
    }

    // Lines every metre and every ten, drawn where the ground is, smoothed by the pixel's size.
    private addGrid(shader: THREE.WebGLProgramParametersWithUniforms): void {
        shader.uniforms.gridFine = this.gridFine;
        shader.uniforms.gridCoarse = this.gridCoarse;
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", "#include <common>\nvarying vec2 gridAt;")
            .replace(
                "#include <begin_vertex>",
                "#include <begin_vertex>\ngridAt = (modelMatrix * vec4(position, 1.0)).xy;",
            );
        shader.fragmentShader = shader.fragmentShader
            .replace(
                "#include <common>",
                `#include <common>
                varying vec2 gridAt;
                uniform vec3 gridFine;
                uniform vec3 gridCoarse;
                float lines(vec2 at, float spacing, float width) {
                    vec2 cell = at / spacing;
                    vec2 pixel = fwidth(cell);
                    vec2 near = abs(fract(cell - 0.5) - 0.5);
                    vec2 line = 1.0 - smoothstep(vec2(width / spacing), vec2(width / spacing) + pixel * 1.5, near);
                    vec2 fade = 1.0 - smoothstep(0.1, 0.5, pixel);
                    return max(line.x * fade.x, line.y * fade.y);
                }`,
            )
            .replace(
                "#include <color_fragment>",
                `#include <color_fragment>
                diffuseColor.rgb = mix(diffuseColor.rgb, gridFine, 0.75 * lines(gridAt, 1.0, 0.008));
                diffuseColor.rgb = mix(diffuseColor.rgb, gridCoarse, lines(gridAt, 10.0, 0.03));`,
            );
    }

    // The sky's colour in a direction: lighter towards the horizon, warmer towards the sun.
    private skyColour(p: Palette): (at: THREE.Vector3, out: THREE.Color) => THREE.Color {
        const zenith = new THREE.Color(p.zenith);
        const horizon = new THREE.Color(p.horizon);
        const glow = new THREE.Color(p.glow);
        const sunSide = new THREE.Vector3(this.sunDirection.x, this.sunDirection.y, 0).normalize();
        return (at, out) => {
            const up = Math.max(0, at.z);
            const toward = Math.max(0, at.x * sunSide.x + at.y * sunSide.y);
            out.copy(horizon).lerp(zenith, Math.pow(up, 0.55));
            return out.lerp(glow, 0.55 * Math.pow(toward, 3) * Math.exp(-6 * up) * (at.z > -0.1 ? 1 : 0));
        };
    }

    apply(p: Palette): void {
        const colourOf = this.skyColour(p);
        const horizon = new THREE.Color(p.horizon);
        const position = this.sky.geometry.attributes.position;
        const colour = this.sky.geometry.attributes.color;
        const at = new THREE.Vector3();
        const mixed = new THREE.Color();
        for (let i = 0; i < position.count; i++) {
            colourOf(at.fromBufferAttribute(position, i).normalize(), mixed);
            colour.setXYZ(i, mixed.r, mixed.g, mixed.b);
        }
        colour.needsUpdate = true;
        this.fog.color.copy(horizon);
        this.ground.material.color.set(p.ground);
        this.gridFine.value.set(p.gridFine);
        this.gridCoarse.value.set(p.gridCoarse);
        this.sun.color.set(p.sun);
        this.sun.intensity = p.sunStrength;
        this.skyLight.color.set(p.skyLight);
        this.skyLight.groundColor.set(p.groundLight);
        this.skyLight.intensity = p.ambient;
    }

    // The sky and the ground as a paint mirrors them: a small cube, painted here.
    mirror(p: Palette): THREE.CubeTexture {
        const size = 32;
        const colourOf = this.skyColour(p);
        const ground = new THREE.Color(p.ground).multiplyScalar(0.7);
        const at = new THREE.Vector3();
        const mixed = new THREE.Color();
        const direction: ((u: number, v: number) => void)[] = [
            (u, v) => at.set(1, -v, -u), (u, v) => at.set(-1, -v, u), (u, v) => at.set(u, 1, v),
            (u, v) => at.set(u, -1, -v), (u, v) => at.set(u, -v, 1), (u, v) => at.set(-u, -v, -1),
        ];
        const faces = direction.map((toward) => {
            const pixels = new Uint8Array(size * size * 4);
            for (let k = 0; k < size * size; k++) {
                toward((2 * ((k % size) + 0.5)) / size - 1, (2 * (Math.floor(k / size) + 0.5)) / size - 1);
                at.normalize();
                if (at.z < 0) mixed.copy(ground);
                else colourOf(at, mixed);
                // A bright band above the horizon, as of a studio: it draws the body's lines.
                if (at.z > 0.28 && at.z < 0.5) mixed.lerp(new THREE.Color(0xffffff), 0.55);
                mixed.convertLinearToSRGB();
                pixels.set([255 * mixed.r, 255 * mixed.g, 255 * mixed.b, 255], 4 * k);
            }
            const face = new THREE.DataTexture(pixels, size, size);
            face.needsUpdate = true;
            return face;
        });
        const cube = new THREE.CubeTexture(faces as unknown as HTMLImageElement[]);
        cube.colorSpace = THREE.SRGBColorSpace;
        cube.generateMipmaps = false;
        cube.minFilter = THREE.LinearFilter;
        cube.needsUpdate = true;
        return cube;
    }

    // Sky, ground and shadow go where the car goes; the grid stays, being drawn by place.
    follow(at: THREE.Vector3, eye: THREE.Vector3): void {
        this.sky.position.copy(eye);
        const step = 10;
        this.ground.position.set(Math.round(at.x / step) * step, Math.round(at.y / step) * step, 0);
        this.ground.rotation.set(Math.atan(this.bank), -Math.atan(this.slope), 0);
        this.ground.position.z = this.slope * this.ground.position.x + this.bank * this.ground.position.y - 0.004;
        // The shadow's map moves by whole texels, else edges crawl.
        const texel = SHADOW_M / this.sun.shadow.mapSize.x;
        const x = Math.round(at.x / texel) * texel;
        const y = Math.round(at.y / texel) * texel;
        this.sun.target.position.set(x, y, at.z);
        this.sun.position.copy(this.sunDirection).multiplyScalar(18).add(this.sun.target.position);
    }
}
