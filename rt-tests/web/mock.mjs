// A stand-in for `skidpad host` that speaks its protocol (docs/host.md) and replays a drive from a
// CSV of `skidpad export`. It serves what a real target cannot give on demand: odd data, silence,
// two targets, a thousand misses.
//
//   node rt-tests/web/mock.mjs DRIVE.csv [PORT]      prints the address to open
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, extname, join } from "node:path";
import { randomBytes } from "node:crypto";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "../../host/web");
const { WebSocketServer } = createRequire(join(web, "package.json"))("ws");

const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".map": "application/json" };
const WHEELS = ["fl", "fr", "rl", "rr"];

// Units and meanings from signals.def, so that the list is the real one.
function signalList(names) {
    const text = readFileSync(join(here, "../../shared/wire/signals.def"), "utf8");
    const known = new Map();
    for (const m of text.matchAll(/^(SIGNAL|LINKED)(4?)\((\w+), (\w+), "([^"]*)",(?: .*,)? "([^"]*)"\)$/gm)) {
        const [, , four, type, name, unit, meaning] = m;
        for (const prefix of four ? WHEELS.map((w) => `${w}_`) : [""]) known.set(prefix + name, { name: prefix + name, unit, type, meaning });
    }
    return names.map((name) => known.get(name) ?? { name, unit: "1", type: "f64", meaning: "" });
}

export function readCsv(file) {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const names = lines[0].split(",").map((n) => n.trim().replace(/ .*$/, ""));
    const rows = new Float64Array((lines.length - 1) * names.length);
    for (let i = 1; i < lines.length; i++) lines[i].split(",").forEach((v, k) => (rows[(i - 1) * names.length + k] = Number(v)));
    return { names, rows, count: lines.length - 1 };
}

const sedan = {
    name: "sedan", wheelbase_m: 2.7, cg_m: [0, 0, 0], hub_m: [[1.2, 0.76, -0.24], [1.2, -0.76, -0.24], [-1.5, 0.76, -0.24], [-1.5, -0.76, -0.24]],
    wheel_radius_m: [0.31, 0.31, 0.31, 0.31], wheel_width_m: [0.205, 0.205, 0.205, 0.205], length_m: 4.6, width_m: 1.82, height_m: 1.45,
};

function scene() {
    const square = (y0, y1, friction, name) => ({ polygon: [[-50, y0, 0], [250, y0, 0], [250, y1, 0], [-50, y1, 0]], friction, name });
    const path = [];
    for (let x = 0; x <= 200; x += 2) path.push([x, 0]);
    const cones = [];
    for (let x = 0; x <= 160; x += 10) cones.push([x, 2.6], [x, -2.6]);
    return { plane: { slope: 0, friction: 1 }, road: null, areas: [square(0, 6, 1, "dry"), square(-6, 0, 0.3, "snow")], cones, path };
}

class MockTarget {
    constructor(id, name, drive) {
        Object.assign(this, { id, name, drive });
        this.run = `run-${id}-1`;
        this.scenario = "abs_split";
        this.state = "running";
        this.cause = "none";
        this.held = false; // data stops: stale
        this.base_s = performance.now() / 1000;
        this.faults = [{ id: 0, name: "front left wheel sensor silent", on: false }, { id: 1, name: "right circuit leaks", on: false }, { id: 2, name: "yaw rate sensor +5 °/s", on: false }];
        this.deadlines = { ticks: 0, missed: 0, skipped: 0, in_row: 0, max_response_ns: 0, max_wake_ns: 0, switches: 0, period_ns: 1e6, histogram_ns: [], wake: [], response: [] };
        for (let ns = 1000; ns < 4e6; ns = Math.ceil((ns * 1.3) / 100) * 100) this.deadlines.histogram_ns.push(ns);
        this.deadlines.wake = this.deadlines.histogram_ns.map(() => 0);
        this.deadlines.response = this.deadlines.histogram_ns.map(() => 0);
        this.sentTo = 0; // next row
        this.events = [];
        this.inputs = [];
        this.codes = "no trouble code";
    }

    describe() {
        const d = this.drive;
        return {
            type: "describe", target: this.id, run: this.run, table: "5f3a", period_s: 0.001, publish_s: 0.001, signals: signalList(d.names),
            run_info: { car: "sedan", scenario: `/bench/scenarios/${this.scenario}.yaml`, model: "lumped15", backend: "posix", kernel: "6.1.0-rt", revision: "mock", bench: "ABS on split friction", unit: "mock" },
            car: sedan, scene: scene(), faults: this.faults, codes: [{ code: "C0035-31", name: "front left wheel sensor: no edges" }], scenarios: ["abs_split", "iso3888_2", "slalom"],
            setup: [
                { name: "front_spring_Npm", label: "Front springs", unit: "N/m", value: 28000, min: 14000, max: 56000 },
                { name: "rear_spring_Npm", label: "Rear springs", unit: "N/m", value: 26000, min: 13000, max: 52000 },
                { name: "front_damper", label: "Front dampers", unit: "%", value: 100, min: 20, max: 300 },
                { name: "front_bar_Nmprad", label: "Front anti-roll bar", unit: "Nm/rad", value: 22000, min: 0, max: 60000 },
                { name: "front_toe_deg", label: "Front toe-in", unit: "°", value: 0.1, min: -1, max: 1 },
                { name: "front_camber_deg", label: "Front camber", unit: "°", value: -0.8, min: -4, max: 1 },
            ],
        };
    }

    begin(now_s) {
        this.base_s = now_s;
        this.sentTo = 0;
    }

    // Another run, which waits for its start.
    load(scenario) {
        this.runs = (this.runs ?? 1) + 1;
        this.run = `run-${this.id}-${this.runs}`;
        this.scenario = scenario;
        this.state = "waiting";
        this.cause = "none";
    }

    // Rows that are due.
    due(now_s) {
        if (this.held || this.state === "ended" || this.state === "waiting") return [this.sentTo, this.sentTo];
        let to = Math.floor((now_s - this.base_s) * 1000);
        if (to >= this.drive.count) {
            this.begin(now_s); // the same drive again, in whatever state
            to = 1;
        }
        const from = this.sentTo;
        this.sentTo = Math.max(from, to);
        this.account(this.sentTo - from);
        return [from, this.sentTo];
    }

    account(ticks) {
        const d = this.deadlines;
        for (let i = 0; i < ticks; i++) {
            const wake = 2500 + 1500 * Math.random() + 9000 * Math.random() ** 12;
            const response = wake + 14000 + 3000 * Math.random() + 30000 * Math.random() ** 20;
            this.sample(wake, response);
        }
        d.ticks += ticks;
    }

    sample(wake, response) {
        const d = this.deadlines;
        const at = (ns) => Math.max(0, d.histogram_ns.findIndex((b) => ns <= b));
        d.wake[at(wake)]++;
        d.response[at(response)]++;
        d.max_wake_ns = Math.max(d.max_wake_ns, wake);
        d.max_response_ns = Math.max(d.max_response_ns, response);
    }

    event(kind, more = {}) {
        this.events.push({ type: "event", target: this.id, tick: this.sentTo, time_s: this.sentTo / 1000, kind, late_ns: 0, phase: "", value: 0, text: "", ...more });
    }

    provoke(late_ns, phase) {
        this.deadlines.missed++;
        this.deadlines.in_row = 1;
        this.sample(4000, 1e6 + late_ns);
        this.event("missed", { late_ns, phase, text: "" });
    }
}

export function startMock({ csv, port = 0, token = randomBytes(16).toString("hex"), targets = 2, publish_ms = 10 }) {
    const drive = readCsv(csv);
    const column = new Map(drive.names.map((n, i) => [n, i]));
    const list = Array.from({ length: targets }, (_, i) => new MockTarget(i, i === 0 ? "bench-1" : `bench-${i + 1}`, drive));
    const commands = [];
    let connections = 0;
    const now = () => performance.now() / 1000;

    const server = createServer((request, response) => {
        const path = new URL(request.url, "http://x").pathname;
        const name = path === "/" ? "index.html" : path.slice(1);
        const type = TYPES[extname(name)];
        let body = null;
        if (type && !name.includes("/") && !name.includes("..")) {
            try {
                body = readFileSync(join(web, "dist", name));
            } catch {
                // 404 below
            }
        }
        response.writeHead(body ? 200 : 404, { "Content-Type": type ?? "text/plain", "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff" });
        response.end(body ?? "not found");
    });
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: (set) => (set.has("skidpad.1") ? "skidpad.1" : false) });
    server.on("upgrade", (request, socket, head) => {
        const url = new URL(request.url, "http://x");
        const own = `http://${request.headers.host}`;
        if (url.pathname !== "/ws" || url.searchParams.get("token") !== token || request.headers.origin !== own) {
            socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
            return;
        }
        sockets.handleUpgrade(request, socket, head, (ws) => sockets.emit("connection", ws));
    });

    const refused = [];
    const hello = () => ({ type: "hello", version: 1, host: "mock", who: "page1@mock", targets: list.map((t) => ({ id: t.id, name: t.name, run: t.run, state: t.state, recording: "run.mf4" })), refused });
    const all = (message) => {
        const text = JSON.stringify(message);
        for (const ws of sockets.clients) ws.send(text);
    };
    sockets.on("connection", (ws) => {
        ws.streams = new Map();
        connections++;
        ws.send(JSON.stringify(hello()));
        for (const t of list) ws.send(JSON.stringify(t.describe()));
        ws.on("message", (data) => receive(ws, JSON.parse(data.toString())));
    });

    function receive(ws, m) {
        if (m.type === "ping") ws.send(JSON.stringify({ type: "pong", id: m.id, t: m.t, host_s: now() }));
        else if (m.type === "subscribe") {
            const key = `${m.target}/${m.stream}`;
            if (m.signals.length === 0) ws.streams.delete(key);
            else ws.streams.set(key, { target: m.target, stream: m.stream, every: Math.max(1, Math.round(1000 / m.rate_hz)), columns: m.signals.map((n) => column.get(n)) });
        } else if (m.type === "command") {
            const t = list[m.target];
            if (m.command === "drive") t.inputs.push(m);
            else commands.push(m);
            const text = command(t, m);
            if (m.id) ws.send(JSON.stringify({ type: "reply", id: m.id, ok: text !== null, text: text ?? "not possible" }));
        }
    }

    function command(t, m) {
        switch (m.command) {
            case "stop":
                t.state = "safe";
                t.safe = (t.safe ?? 0) + 1;
                t.cause = "operator stop";
                t.event("safe", { text: "operator stop" });
                return "safe state";
            case "start":
                if (t.state !== "waiting") return null;
                t.begin(now());
                t.state = "running";
                return "the run begins";
            case "reset":
                if (t.state !== "safe" || m.safe !== t.safe) return null;
                t.state = "running";
                t.cause = "none";
                t.event("reset", { text: "by the page" });
                return "reset";
            case "scenario":
                t.load(m.scenario);
                all(hello());
                all(t.describe());
                return `scenario ${m.scenario} waits for a start`;
            case "end":
                t.state = "ended";
                return "ended";
            case "fault": {
                const fault = t.faults.find((f) => f.name === m.fault || f.id === m.fault);
                if (!fault) return null;
                fault.on = m.on;
                t.event(m.on ? "fault on" : "fault off", { text: fault.name });
                return `${fault.name} ${m.on ? "on" : "off"}`;
            }
            case "take":
                t.holder = "page1@mock";
                return "page1@mock holds the bench";
            case "codes":
                return t.codes;
            case "setup":
                return Number.isFinite(m.value) ? `${m.name} ${m.value}` : null;
            case "drive":
                return m.release ? "released" : "";
            default:
                return null;
        }
    }

    // Records of one subscription, as one message.
    function pack(t, s, from, to) {
        const picked = [];
        for (let r = from; r < to; r++) if (r % s.every === 0) picked.push(r);
        if (picked.length === 0) return null;
        const n = s.columns.length;
        const stride = 16 + 4 * (n + (n & 1));
        const buffer = new ArrayBuffer(16 + picked.length * stride);
        const view = new DataView(buffer);
        view.setUint8(0, 1);
        view.setUint8(1, s.target);
        view.setUint8(2, s.stream);
        view.setUint32(4, picked.length, true);
        view.setUint32(8, n, true);
        const width = drive.names.length;
        const bits = t.faults.reduce((sum, f) => sum + (f.on ? 1 << f.id : 0), 0);
        picked.forEach((r, k) => {
            const at = 16 + k * stride;
            view.setFloat64(at, r / 1000, true);
            view.setFloat64(at + 8, now(), true);
            for (let f = 0; f < n; f++) {
                const c = s.columns[f];
                const value = drive.names[c] === "faults_active" ? bits : drive.rows[r * width + c];
                view.setFloat32(at + 16 + 4 * f, value, true);
            }
        });
        return buffer;
    }

    let beat = 0;
    const timer = setInterval(() => {
        for (const t of list) {
            const [from, to] = t.due(now());
            if (to > from) {
                for (const ws of sockets.clients) {
                    for (const s of ws.streams?.values() ?? []) {
                        if (s.target !== t.id) continue;
                        const packed = pack(t, s, from, to);
                        if (packed) ws.send(packed);
                    }
                }
                t.last_s = now();
            }
            for (const e of t.events.splice(0)) all(e);
            if (beat % 20 === 0) {
                const deadlines = { ...t.deadlines };
                all({ type: "status", target: t.id, time_s: t.sentTo / 1000, state: t.state, cause: t.cause, safe: t.safe ?? 0, holder: t.holder ?? "", age_s: now() - (t.last_s ?? now()), lost: 0, late: 0, clock_offset_s: 0, first_s: t.state === "waiting" ? null : t.base_s, deadlines });
            }
        }
        beat++;
    }, publish_ms);

    return new Promise((resolve) => {
        server.listen(port, "127.0.0.1", () => {
            const origin = `http://127.0.0.1:${server.address().port}`;
            resolve({
                origin, token, url: `${origin}/?token=${token}`, targets: list, refused, commands, hello: () => all(hello()),
                connections: () => connections,
                drop: () => sockets.clients.forEach((ws) => ws.terminate()),
                stop: () => {
                    clearInterval(timer);
                    sockets.clients.forEach((ws) => ws.terminate());
                    server.close();
                },
            });
        });
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const mock = await startMock({ csv: process.argv[2], port: Number(process.argv[3] ?? 0) });
    console.log(mock.url);
}
