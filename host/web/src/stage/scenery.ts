// What the scenario puts on the ground: road, friction areas, cones, the path to follow.

import * as THREE from "three";
import type { SceneInfo } from "../protocol";
import { surfaceStyle } from "./palette";
import type { Palette } from "./palette";

const LIFT_M = { area: 0.004, road: 0.008, line: 0.014, path: 0.018 };

type Point = readonly number[];

function z(p: Point): number {
    return p[2] ?? 0;
}

// Paint on the ground is drawn in order, lowest first; only hills hide what is behind them.
function decal(colour: number, opacity = 1, hilly = false): THREE.MeshLambertMaterial {
    return new THREE.MeshLambertMaterial({
        depthWrite: hilly,
        color: colour, transparent: opacity < 1, opacity, side: THREE.DoubleSide,
        polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2,
    });
}

// A band between two rows of points; colours[i] belongs to row i.
function band(left: Point[], right: Point[], lift_m: number, colours?: THREE.Color[]): THREE.BufferGeometry {
    const n = Math.min(left.length, right.length);
    const position = new Float32Array(n * 6);
    const colour = colours ? new Float32Array(n * 6) : null;
    const index: number[] = [];
    for (let i = 0; i < n; i++) {
        position.set([left[i][0], left[i][1], z(left[i]) + lift_m, right[i][0], right[i][1], z(right[i]) + lift_m], 6 * i);
        const c = colours?.[Math.min(i, colours.length - 1)];
        if (colour && c) colour.set([c.r, c.g, c.b, c.r, c.g, c.b], 6 * i);
        if (i > 0) {
            const a = 2 * i - 2;
            index.push(a, a + 1, a + 2, a + 1, a + 3, a + 2);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    if (colour) geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    return geometry;
}

// A ribbon of a width along a line of points; dash_m > 0 leaves every other stretch out.
function ribbon(points: Point[], width_m: number, lift_m: number, dash_m = 0): THREE.BufferGeometry {
    const position: number[] = [];
    const index: number[] = [];
    let along = 0;
    for (let i = 0; i + 1 < points.length; i++) {
        const a = points[i];
        const b = points[i + 1];
        const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
        if (length < 1e-6) continue;
        const pieces = dash_m > 0 ? Math.max(1, Math.ceil(length / (dash_m / 2))) : 1;
        const nx = (-(b[1] - a[1]) / length) * (width_m / 2);
        const ny = ((b[0] - a[0]) / length) * (width_m / 2);
        for (let k = 0; k < pieces; k++) {
            const s0 = k / pieces;
            const s1 = (k + 1) / pieces;
            const middle = along + (length * (s0 + s1)) / 2;
            if (dash_m > 0 && Math.floor(middle / dash_m) % 2 === 1) continue;
            const base = position.length / 3;
            for (const s of [s0, s1]) {
                const x = a[0] + s * (b[0] - a[0]);
                const y = a[1] + s * (b[1] - a[1]);
                const h = z(a) + s * (z(b) - z(a)) + lift_m;
                position.push(x + nx, y + ny, h, x - nx, y - ny, h);
            }
            index.push(base, base + 1, base + 2, base + 1, base + 3, base + 2);
        }
        along += length;
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    return geometry;
}

function coneGeometry(): THREE.BufferGeometry {
    const profile = [
        [0.0, 0.5], [0.035, 0.5], [0.05, 0.44], [0.15, 0.03], [0.2, 0.03], [0.2, 0.0], [0.0, 0.0],
    ].map(([r, h]) => new THREE.Vector2(r, h));
    const geometry = new THREE.LatheGeometry(profile.reverse(), 20).rotateX(Math.PI / 2);
    const position = geometry.attributes.position;
    const colour = new Float32Array(position.count * 3);
    const orange = new THREE.Color(0xff5a1f);
    const dark = new THREE.Color(0x24272b);
    for (let i = 0; i < position.count; i++) {
        const c = position.getZ(i) < 0.035 ? dark : orange;
        colour.set([c.r, c.g, c.b], 3 * i);
    }
    geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
    return geometry;
}

export class Scenery {
    readonly group = new THREE.Group();
    // Names and colours of the surfaces there are, for the legend.
    surfaces: { name: string; friction: number; colour: number }[] = [];

    constructor(private readonly grid: (material: THREE.MeshLambertMaterial) => void) {}

    build(scene: SceneInfo | null, palette: Palette): void {
        this.group.traverse((object) => {
            if (!(object instanceof THREE.Mesh)) return;
            (object.geometry as THREE.BufferGeometry).dispose();
            (object.material as THREE.Material).dispose();
        });
        this.group.clear();
        this.surfaces = [];
        if (!scene) return;
        this.addAreas(scene, palette);
        this.addRoad(scene, palette);
        this.addPath(scene, palette);
        this.addCones(scene);
    }

    private add(geometry: THREE.BufferGeometry, material: THREE.Material, order: number): void {
        const mesh = new THREE.Mesh(geometry, material);
        mesh.receiveShadow = true;
        mesh.renderOrder = order;
        this.group.add(mesh);
    }

    private note(name: string, friction: number, colour: number): void {
        if (this.surfaces.some((s) => s.name === name && s.friction === friction)) return;
        this.surfaces.push({ name, friction, colour });
    }

    private addAreas(scene: SceneInfo, palette: Palette): void {
        const ground = new THREE.Color(palette.asphalt);
        for (const area of scene.areas) {
            if (area.polygon.length < 3) continue;
            const outline = area.polygon.map((p) => new THREE.Vector2(p[0], p[1]));
            const triangles = THREE.ShapeUtils.triangulateShape(outline, []);
            const style = surfaceStyle(area.friction);
            const colour = ground.clone().lerp(new THREE.Color(style.colour), style.tint);
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute(
                "position",
                new THREE.Float32BufferAttribute(area.polygon.flatMap((p) => [p[0], p[1], z(p) + LIFT_M.area]), 3),
            );
            geometry.setIndex(triangles.flat());
            geometry.computeVertexNormals();
            const material = decal(colour.getHex());
            this.grid(material);
            this.add(geometry, material, 1);
            this.note(area.name ? `${area.name}, ${style.name}` : style.name, area.friction, colour.getHex());
        }
        if (scene.plane && scene.areas.length === 0) this.note(surfaceStyle(scene.plane.friction).name, scene.plane.friction, palette.ground);
    }

    private addRoad(scene: SceneInfo, palette: Palette): void {
        const road = scene.road;
        if (!road || road.left.length < 2) return;
        const asphalt = new THREE.Color(palette.asphalt);
        const colours = road.friction.map((f) => {
            const style = surfaceStyle(f);
            this.note(style.name, f, asphalt.clone().lerp(new THREE.Color(style.colour), style.tint).getHex());
            return asphalt.clone().lerp(new THREE.Color(style.colour), style.tint);
        });
        const heights = road.centre.map(z);
        const hilly = Math.max(...heights) - Math.min(...heights) > 0.5;
        const material = decal(0xffffff, 1, hilly);
        material.vertexColors = true;
        this.add(band(road.left, road.right, LIFT_M.road, colours.length ? colours : [asphalt]), material, 2);
        const marking = decal(palette.marking, 0.9);
        this.add(ribbon(road.left, 0.12, LIFT_M.line), marking, 3);
        this.add(ribbon(road.right, 0.12, LIFT_M.line), marking.clone(), 3);
        if (road.centre.length > 1) this.add(ribbon(road.centre, 0.12, LIFT_M.line, 3), marking.clone(), 3);
    }

    private addPath(scene: SceneInfo, palette: Palette): void {
        if (scene.path.length < 2) return;
        const material = new THREE.MeshBasicMaterial({
            color: palette.path, transparent: true, opacity: 0.75, side: THREE.DoubleSide,
            polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -4,
        });
        this.add(ribbon(scene.path, 0.1, LIFT_M.path, 1), material, 4);
    }

    private addCones(scene: SceneInfo): void {
        if (scene.cones.length === 0) return;
        const material = new THREE.MeshLambertMaterial({ vertexColors: true });
        const cones = new THREE.InstancedMesh(coneGeometry(), material, scene.cones.length);
        const place = new THREE.Matrix4();
        scene.cones.forEach((p, i) => cones.setMatrixAt(i, place.makeTranslation(p[0], p[1], z(p))));
        cones.castShadow = true;
        const stripe = new THREE.CylinderGeometry(0.083, 0.11, 0.1, 20, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.26);
        const bands = new THREE.InstancedMesh(stripe, new THREE.MeshLambertMaterial({ color: 0xf6f4ef }), scene.cones.length);
        bands.instanceMatrix = cones.instanceMatrix;
        cones.frustumCulled = bands.frustumCulled = false;
        this.group.add(cones, bands);
    }
}
