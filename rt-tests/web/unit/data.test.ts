// Decoding, rings, decimation: what the page does with every record.
import test from "node:test";
import assert from "node:assert/strict";
import { Batch, parseMessage } from "../../../host/web/src/protocol";
import { SignalRing } from "../../../host/web/src/ring";
import { Decimated } from "../../../host/web/src/decimate";
import { Playback } from "../../../host/web/src/playback";
import { Latency } from "../../../host/web/src/latency";

// A message as the host makes it, written here by hand from the format's description.
function message(stream: number, fields: number, records: { t: number; host: number; values: number[] }[], dropped = 0): ArrayBuffer {
    const padded = fields + (fields % 2);
    const buffer = new ArrayBuffer(16 + records.length * (16 + 4 * padded));
    const v = new DataView(buffer);
    v.setUint8(0, 1);
    v.setUint8(1, 3);
    v.setUint8(2, stream);
    v.setUint32(4, records.length, true);
    v.setUint32(8, fields, true);
    v.setUint32(12, dropped, true);
    records.forEach((r, i) => {
        const at = 16 + i * (16 + 4 * padded);
        v.setFloat64(at, r.t, true);
        v.setFloat64(at + 8, r.host, true);
        r.values.forEach((x, k) => v.setFloat32(at + 16 + 4 * k, x, true));
    });
    return buffer;
}

function filled(names: string[], capacity: number, rows: [number, ...number[]][]): SignalRing {
    const ring = new SignalRing(names, capacity);
    const batch = new Batch();
    assert.ok(batch.read(message(1, names.length, rows.map(([t, ...values]) => ({ t, host: 0, values })))));
    ring.append(batch);
    return ring;
}

test("a batch is read with an odd and an even number of fields", () => {
    for (const fields of [1, 2, 3, 8]) {
        const rows = [0, 1, 2].map((i) => ({ t: i * 0.001, host: 100 + i, values: Array.from({ length: fields }, (_, k) => 10 * i + k) }));
        const b = new Batch();
        assert.ok(b.read(message(5, fields, rows, 7)));
        assert.deepEqual([b.target, b.stream, b.count, b.fields, b.dropped], [3, 5, 3, fields, 7]);
        rows.forEach((row, i) => {
            assert.equal(b.time_s(i), row.t);
            assert.equal(b.host_s(i), row.host);
            row.values.forEach((x, k) => assert.equal(b.f32[b.fieldsAt(i) + k], x));
        });
    }
});

test("a batch that is cut, too long or of another version is refused", () => {
    const good = message(1, 3, [{ t: 1, host: 2, values: [1, 2, 3] }]);
    const b = new Batch();
    assert.ok(b.read(good));
    for (let length = 0; length < good.byteLength; length++) assert.equal(b.read(good.slice(0, length)), false, `length ${length}`);
    const longer = new ArrayBuffer(good.byteLength + 8);
    new Uint8Array(longer).set(new Uint8Array(good));
    assert.equal(b.read(longer), false);
    const other = good.slice(0);
    new DataView(other).setUint8(0, 2);
    assert.equal(b.read(other), false);
    const huge = good.slice(0);
    new DataView(huge).setUint32(4, 0xffffffff, true);
    assert.equal(b.read(huge), false);
});

test("text that is no message is none", () => {
    for (const text of ["", "null", "3", "[]", "{", '{"a":1}']) assert.equal(parseMessage(text), null, text);
    assert.equal(parseMessage('{"type":"reply","id":1,"ok":true,"text":""}')?.type, "reply");
});

test("a ring keeps the newest records and finds them by time", () => {
    const ring = filled(["a"], 8, Array.from({ length: 20 }, (_, i): [number, number] => [i, i * i]));
    assert.equal(ring.capacity, 8);
    assert.equal(ring.held, 8);
    assert.equal(ring.oldest, 12);
    assert.equal(ring.newestTime, 19);
    for (const [t, record] of [[-5, 12], [12, 12], [12.5, 13], [19, 19], [19.1, 20]]) assert.equal(ring.find(t), record, `t ${t}`);
    assert.equal(ring.column("a")?.[ring.at(15)], 225);
    assert.equal(ring.column("b"), undefined);
});

test("a clock that goes back starts the ring anew", () => {
    const ring = filled(["a"], 16, [[1, 1], [2, 2], [2, 99], [0, 5], [0.5, 6]]);
    assert.equal(ring.held, 2);
    assert.equal(ring.timeOf(ring.oldest), 0);
    assert.equal(ring.column("a")?.[ring.at(ring.total - 1)], 6);
});

test("sampling is linear, takes angles the short way and does not blend states", () => {
    const ring = filled(["x", "yaw", "gear"], 16, [[0, 10, 3.1, 1], [1, 20, -3.1, 2]]);
    const out = new Float32Array(3);
    const sample = (t: number): number[] => {
        assert.ok(ring.sample(t, out, Uint8Array.of(0, 1, 0), Uint8Array.of(0, 0, 1)));
        return [...out];
    };
    const middle = sample(0.5);
    assert.equal(middle[0], 15);
    assert.ok(Math.abs(middle[1] - Math.PI) < 1e-3, `yaw ${middle[1]}`); // half way from 3.1 up to 2 pi - 3.1
    assert.equal(middle[2], 1);
    assert.deepEqual([sample(-1)[0], sample(9)[0], sample(9)[2]], [10, 20, 2]);
    assert.equal(new SignalRing(["x"], 4).sample(0, out, new Uint8Array(1), new Uint8Array(1)), false);
});

test("a ring takes over the past of signals it shares with another", () => {
    const old = filled(["a", "b"], 8, [[0, 1, 10], [1, 2, 20]]);
    const ring = new SignalRing(["b", "c"], 8);
    ring.adopt(old);
    assert.equal(ring.held, 2);
    assert.equal(ring.column("b")?.[ring.at(1)], 20);
    assert.ok(Number.isNaN(ring.column("c")?.[ring.at(1)]));
});

test("a frozen ring does not change", () => {
    const ring = filled(["a"], 4, [[0, 1], [1, 2]]);
    const frozen = ring.freeze();
    const b = new Batch();
    b.read(message(1, 1, [2, 3, 4, 5].map((t) => ({ t, host: 0, values: [0] }))));
    ring.append(b);
    assert.deepEqual([frozen.held, frozen.newestTime, frozen.column("a")?.[0]], [2, 1, 1]);
});

test("decimation keeps every peak and stays within two points per bucket", () => {
    const n = 10000;
    const rows = Array.from({ length: n }, (_, i): [number, number] => [i / 1000, Math.sin(i / 50)]);
    rows[4321][1] = 77;
    rows[8765][1] = -55;
    const ring = filled(["a"], n, rows);
    const d = new Decimated(1, 100);
    d.fill(ring, [ring.column("a")], [2], 0, 10);
    assert.ok(d.points <= 202 && d.points >= 198, `${d.points} points`);
    assert.equal(d.high[0], 154);
    assert.equal(d.low[0], -110);
    const y = [...d.y[0].subarray(0, d.points)];
    assert.equal(Math.max(...y), 154);
    assert.equal(Math.min(...y), -110);
    const x = d.x.subarray(0, d.points);
    for (let i = 1; i < x.length; i++) assert.ok(x[i] > x[i - 1], "times rise");
});

test("few records are drawn as they are, missing signals as gaps", () => {
    const ring = filled(["a"], 16, [[0.5, 1], [1.5, 3], [2.5, 2]]);
    const d = new Decimated(2, 100);
    d.fill(ring, [ring.column("a"), undefined], [1, 1], 0, 3);
    assert.equal(d.points, 3);
    assert.deepEqual([...d.x.subarray(0, 3)], [0.5, 1.5, 2.5]);
    assert.deepEqual([...d.y[0].subarray(0, 3)], [1, 3, 2]);
    assert.ok(d.y[1].subarray(0, 3).every((v) => Number.isNaN(v)));
    d.fill(ring, [ring.column("a"), undefined], [1, 1], 1, 1);
    assert.equal(d.points, 0, "an empty range gives no points");
});

test("buckets do not move with the window: a curve that scrolls does not shimmer", () => {
    const rows = Array.from({ length: 5000 }, (_, i): [number, number] => [i / 1000, Math.random()]);
    const ring = filled(["a"], 5000, rows);
    const at = (from: number): Map<string, number> => {
        const d = new Decimated(1, 50);
        d.fill(ring, [ring.column("a")], [1], from, from + 2);
        return new Map(Array.from({ length: d.points }, (_, i) => [d.x[i].toFixed(6), d.y[0][i]]));
    };
    const first = at(1);
    let shared = 0;
    for (const [x, y] of at(1.013)) {
        if (!first.has(x)) continue;
        shared++;
        assert.equal(first.get(x), y);
    }
    assert.ok(shared > 90, `${shared} shared points`); // of 100, but for the ends
});

test("playback runs evenly although records come in bursts", () => {
    const p = new Playback();
    let before = NaN;
    for (let ms = 0; ms < 2000; ms += 4) {
        if (ms % 40 === 0) p.arrived(ms / 1000 + 5, ms / 1000 + 0.003 * ((ms / 40) % 3));
        const shown = p.time(ms / 1000);
        if (ms > 200) assert.ok(Math.abs(shown - before - 0.004) < 0.0035, `step of ${shown - before} s at ${ms} ms`);
        before = shown;
    }
    p.arrived(0, 2.0); // the run was reset
    assert.ok(p.time(2.0) < 0.1);
});

test("the 95 % value of latencies", () => {
    const l = new Latency();
    assert.ok(Number.isNaN(l.percentile(0.95)));
    for (let i = 1; i <= 100; i++) l.add(i);
    l.add(NaN);
    assert.equal(l.percentile(0.95), 96);
    assert.equal(l.percentile(0), 1);
});
