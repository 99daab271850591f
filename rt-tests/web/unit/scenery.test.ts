// What the scenario puts on the ground, as the 3D view gets it.
import test from "node:test";
import assert from "node:assert/strict";
import * as THREE from "three";
import type { SceneInfo } from "../../../host/web/src/protocol";
import { PALETTES } from "../../../host/web/src/stage/palette";
import { Scenery } from "../../../host/web/src/stage/scenery";

const empty: SceneInfo = { areas: [], cones: [], path: [] };

function build(scene: SceneInfo): { scenery: Scenery; meshes: THREE.Mesh[] } {
    const scenery = new Scenery(() => undefined);
    scenery.build(scene, PALETTES.dark);
    return { scenery, meshes: scenery.group.children.filter((child) => child instanceof THREE.Mesh) };
}

test("a measured surface is drawn at its heights, the upper side up, with two edges", () => {
    const points = [0, 1, 2, 3].flatMap((x) => [-2, 0, 2].map((y) => [x, y, 0.1 * x + (y === 0 ? 0.05 : 0)]));
    const { scenery, meshes } = build({ ...empty, surface: { columns: 3, points, friction: [1, 1, 0.3, 0.3] } });
    assert.equal(meshes.length, 3);
    const { position, normal } = meshes[0].geometry.attributes;
    assert.equal(position.count, points.length);
    points.forEach((p, i) => {
        assert.ok(Math.hypot(position.getX(i) - p[0], position.getY(i) - p[1]) < 1e-6);
        assert.ok(Math.abs(position.getZ(i) - p[2]) < 0.02, "a little above, so that the ground does not flicker through");
        assert.ok(normal.getZ(i) > 0.9);
    });
    assert.equal(meshes[0].geometry.index?.count, 3 * 2 * 2 * 3); // 3 x 2 fields of two triangles
    assert.deepEqual(scenery.surfaces.map((s) => s.name), ["dry", "snow"]);
});

test("a road is a band between its edges; half a surface is nothing", () => {
    const line = (y: number): number[][] => [0, 5, 10].map((x) => [x, y, 0]);
    const { meshes } = build({ ...empty, road: { left: line(3), right: line(-3), centre: line(0), friction: [1, 1, 1] } });
    assert.equal(meshes.length, 4); // the band, two edges, the dashes in the middle
    assert.ok(meshes[0].geometry.attributes.normal.getZ(0) > 0.99);
    assert.equal(build({ ...empty, surface: { columns: 3, points: [[0, 0, 0]], friction: [] } }).meshes.length, 0);
});
