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

// A mesh of rows of points, each from right to left; colours[i] belongs to row i.
function mesh(points: Point[], columns: number, lift_m: number, colours: THREE.Color[]): THREE.BufferGeometry {
    const rows = Math.floor(points.length / columns);
    const position = new Float32Array(rows * columns * 3);
    const colour = new Float32Array(rows * columns * 3);
    const index: number[] = [];
    for (let i = 0; i < rows * columns; i++) {
        const row = Math.floor(i / columns);
        const p = points[i];
        const c = colours[Math.min(row, colours.length - 1)];
        position.set([p[0], p[1], z(p) + lift_m], 3 * i);
        colour.set([c.r, c.g, c.b], 3 * i);
        if (row === 0 || i % columns === 0) continue;
        const [a, b] = [i - columns - 1, i - columns]; // the row before, to the right and straight behind
        index.push(a, i - 1, b, b, i - 1, i);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
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

// Gives the graphics card's memory of everything in a group back.
export function dispose(group: THREE.Group): void {
    group.traverse((object) => {
        if (!(object instanceof THREE.Mesh)) return;
        (object.geometry as THREE.BufferGeometry).dispose();
        for (const material of [object.material as THREE.Material | THREE.Material[]].flat()) material.dispose();
    });
}

export class Scenery {
    readonly group = new THREE.Group();
    // Names and colours of the surfaces there are, for the legend.
    surfaces: { name: string; friction: number; colour: number }[] = [];

    constructor(private readonly grid: (material: THREE.MeshLambertMaterial) => void) {}

    build(scene: SceneInfo | null, palette: Palette): void {
        dispose(this.group);
        this.group.clear();
        this.surfaces = [];
        if (!scene) return;
        this.addAreas(scene, palette);
        this.addRoad(scene, palette);
        this.addSurface(scene, palette);
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
        const points = road.right.flatMap((p, i) => [p, road.left[i]]);
        this.addMesh(points, 2, road.friction, palette);
        this.addEdges(road.left, road.right, palette);
        if (road.centre.length > 1) this.add(ribbon(road.centre, 0.12, LIFT_M.line, 3), decal(palette.marking, 0.9), 3);
    }

    private addSurface(scene: SceneInfo, palette: Palette): void {
        const surface = scene.surface;
        if (!surface || surface.columns < 2 || surface.points.length < 2 * surface.columns) return;
        const { columns, points } = surface;
        this.addMesh(points, columns, surface.friction, palette);
        this.addEdges(points.filter((_, i) => i % columns === columns - 1), points.filter((_, i) => i % columns === 0), palette);
    }

    private addMesh(points: Point[], columns: number, friction: number[], palette: Palette): void {
        const asphalt = new THREE.Color(palette.asphalt);
        const colours = friction.map((f) => {
            const style = surfaceStyle(f);
            const colour = asphalt.clone().lerp(new THREE.Color(style.colour), style.tint);
            this.note(style.name, f, colour.getHex());
            return colour;
        });
        const [low, high] = points.reduce(([a, b], p) => [Math.min(a, z(p)), Math.max(b, z(p))], [Infinity, -Infinity]);
        const material = decal(0xffffff, 1, high - low > 0.5);
        material.vertexColors = true;
        this.add(mesh(points, columns, LIFT_M.road, colours.length ? colours : [asphalt]), material, 2);
    }

    private addEdges(left: Point[], right: Point[], palette: Palette): void {
        for (const edge of [left, right]) this.add(ribbon(edge, 0.12, LIFT_M.line), decal(palette.marking, 0.9), 3);
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
