// A real bench for tests of the page: `skidpad run` in real time and `skidpad host`, on ports of
// their own. SKIDPAD_PROGRAMS names the folder of the programs (build).
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { createSocket } from "node:dgram";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./browser.mjs";

const programs = process.env.SKIDPAD_PROGRAMS ?? join(root, process.env.SKIDPAD_BUILD ?? "build");

const freeTcp = () => new Promise((resolve) => { const s = createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => resolve(port)); }); });
const freeUdp = () => new Promise((resolve) => { const s = createSocket("udp4").bind(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => resolve(port)); }); });

// Starts a program; `line` resolves with the first line of its output that matches.
function start(name, args, cwd, key) {
    const child = spawn(join(programs, name), args, { cwd, env: { ...process.env, SKIDPAD_KEY: key, SKIDPAD_CONFIG_DIR: process.env.SKIDPAD_CONFIG_DIR ?? join(root, "config") }, stdio: ["ignore", "pipe", "pipe"] });
    child.said = "";
    const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    child.line = (pattern) => new Promise((resolve, reject) => {
        const look = () => { const m = pattern.exec(child.said); if (m) resolve(m[0]); };
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        ended.then(() => reject(new Error(`${name} ended: ${child.said}`)));
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (child.said += data));
    child.stop = () => { child.kill("SIGTERM"); return ended; };
    return child;
}

export async function startHost(folder) {
    mkdirSync(folder, { recursive: true });
    const key = join(folder, "key");
    const udp = await freeUdp();
    await start("skidpad-host", ["--new-key", key], folder, key).line(/./).catch(() => null);
    const host = start("skidpad-host", ["--listen", `127.0.0.1:${udp}`, "--port", String(await freeTcp()), "--web", join(root, "host/web/dist"), "--record", join(folder, "record")], folder, key);
    const url = await host.line(/http:\/\/\S+token=[0-9a-f]+/);
    return { host, url, udp, key, origin: new URL(url).origin };
}

// The chassis bus with a patient time-out: beside a browser that draws by software, the unit's
// process does not always get its turn in time.
function patientBus(folder, config) {
    const text = readFileSync(join(config, "can/skidpad_chassis.yaml"), "utf8");
    const file = join(folder, "chassis.yaml");
    writeFileSync(file, text.replace(/timeout_ms: \d+/g, "timeout_ms: 1000").replace(/^dbc: (?!\/)/m, `dbc: ${config}/can/`));
    return file;
}

// A run at 1 kHz, by itself or with the unit, with faults by hand and a socket that `control` asks.
export function startRun(folder, { udp, key }, { name = "bench-1", scenario = "abs_split.yaml", seconds = 60, more = [], unit = true, serve = false } = {}) {
    const file = join(folder, `${name}.yaml`);
    const config = process.env.SKIDPAD_CONFIG_DIR ?? join(root, "config");
    writeFileSync(file, [
        "kind: bench", `name: ${name}`, `scenario: ${scenario.startsWith("/") ? scenario : join(config, "scenarios", scenario)}`,
        ...(unit ? [`can: [{name: chassis, bus: ${patientBus(folder, config)}, transport: auto}]`, `stand_in: {params: ${config}/ecu/sedan.yaml}`] : []),
        "faults:", "  - {name: wire_fl, kind: no_edges, sensor: wheel_fl}", "  - {name: slow_rr, kind: pressure_slow, wheel: rr, rate_barps: 60}",
        `telemetry: {to: "127.0.0.1:${udp}", rate_hz: 1000}`, `control: ${name}.sock`, ...more, "",
    ].join("\n"));
    const run = start("skidpad-run", [file, "--allow-nonrt", "--for", String(seconds), "--log", join(folder, `${name}.mf4`), ...(serve ? ["--serve"] : [])], folder, key);
    // What the run itself says, past host and page.
    run.control = (...words) => spawnSync(join(programs, "skidpad-control"), [`${name}.sock`, ...words], { cwd: folder, encoding: "utf8" }).stdout ?? "";
    return run;
}
