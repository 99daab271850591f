// The page on the real host, with a real run behind it in real time.
//
//   node rt-tests/web/test_host.mjs FOLDER SCREENSHOTS
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "node:http";
import { startHost, startRun } from "./bench.mjs";
import { check, finish, launch, note, noWebGL, open, root, stubGamepad, until } from "./browser.mjs";

const [folder, shots] = process.argv.slice(2);
const host = await startHost(folder);
// The pedal makes the pressures: whether a unit in another process keeps its time is the machine's
// matter. Missed deadlines are expected on a busy one, and must not end in the safe state by themselves.
const calm = { unit: false, more: ["provoke: [{tick: 1500, ticks: 1, delay_us: 400000}]", "limits: {missed_in_row: 1000000}"] };
mkdirSync(shots, { recursive: true });
mkdirSync(join(folder, "scenarios"));
// Roads without an end, whoever drives.
for (const [file, name, road] of [["circle", "endless circle", "{closed: true, segments: [{radius_m: 60, angle_deg: 360}]}"], ["straight", "long straight", "{segments: [{length_m: 9000}]}"]]) {
    writeFileSync(join(folder, "scenarios", `${file}.yaml`), [
        "kind: scenario", `name: ${name}`, `vehicle: ${join(root, "config/vehicles/sedan.yaml")}`, "duration_s: 600", `road: ${road}`, "start: {speed_kmh: 40}",
        "driver: {gear: 3, path: {road: {offset_m: 0}, speed_kmh: 45}}", "",
    ].join("\n"));
}
const run = startRun(folder, host, { ...calm, scenario: join(folder, "scenarios/circle.yaml"), seconds: 300, serve: true });
const browser = await launch();

// ---- a run that waits, started by a click
let page = await open(browser, host.url, { width: 1280, height: 800 });
check(await until(async () => (await page.state()) === "waiting" && (await page.isVisible("#ready-start"))), "a run that waits is shown as such", host.host.said + run.said);
check(/endless circle.*waits for a start/.test(await page.text("ready-text")) && (await page.isDisabled("#reset")), "with what to do", await page.text("ready-text"));
check(/waiting for a start/.test(run.control("status")), "the run says the same", run.control("status"));
await page.screenshot({ path: join(shots, "host-waits.png") });
await page.click("#ready-start");
check(await until(async () => (await page.state()) === "running"), "a click starts it", await page.text("toasts"));
check(await until(() => /tick [1-9]\d* .* [1-9]\S* km\/h running/.test(run.control("status"))), "the run drives", run.control("status"));
check(!page.url().includes("token"), "the token is no longer in the address", page.url());
const before = await page.stats();
check(await until(async () => Math.abs((await page.stats()).car[0] - before.car[0]) > 1), "the car moves");
check(await until(async () => (await page.stats()).chartTime_s > before.chartTime_s + 0.5 && (await page.stats()).charts > before.charts), "charts are drawn with new data");
check((await page.text("unit-speed")) === "–" && (await page.text("trouble")) === "–", "a bench without a unit has no values of it", await page.text("unit-speed"));
check(/sedan/.test(await page.text("facts")), "car and scenario are named", await page.text("facts"));
check(await until(async () => Number((await page.text("missed")).replace(/\D/g, "")) > 0), "the provoked miss is counted");
check(await until(async () => /1\u2009500/.test(await page.text("worst"))), "and is among the worst ticks", await page.text("worst"));
await page.screenshot({ path: join(shots, "host.png") });
const drawn = await page.stats();
note(`3D by software: ${drawn.fps.toFixed(1)} frames/s, script ${drawn.script_ms.toFixed(2)} ms per frame`);
check(page.complaints.length === 0, "nothing to complain about in the console", page.complaints.join("\n"));
await page.context().close();

page = await open(browser, host.url, { init: [noWebGL, stubGamepad] });
check(await until(async () => (await page.stats()).chartRecords > 3000), "records arrive at 1 kHz", JSON.stringify(await page.stats()));
const s = await page.stats();
note(`without 3D: ${s.fps.toFixed(1)} frames/s, script ${s.script_ms.toFixed(2)} ms per frame; target to page: median ${s.latency_p50_ms.toFixed(1)} ms, 95 %: ${s.latency_p95_ms.toFixed(1)} ms`);

await page.click("#tab-faults");
await page.click("[data-fault='0']");
check(await until(async () => (await page.text("fault-count")) === "1"), "a fault acts, as the target's own signal says");
await page.click("[data-fault='0']");
check(await until(async () => await page.isHidden("#fault-count")), "and ends");
await page.click("#tab-setup");
check((await page.locator(".setup-row").count()) > 4, "the set-up is offered");
const slider = page.locator("#setup input").first();
const [low, high] = [Number(await slider.getAttribute("min")), Number(await slider.getAttribute("max"))];
await slider.fill(String(low + 0.6 * (high - low)));
await page.click("#tab-events");
check(await until(async () => /setup/.test(await page.text("events"))), "a change of it is an event of the run", await page.text("events"));
check(/fault on/.test(await page.text("events")), "and so was the fault");

await page.click("#stop");
check(await until(async () => (await page.state()) === "safe"), "stop leads to the safe state", await page.text("toasts"));
check(/Safe state/.test(await page.text("banners")), "which is shown with its cause", await page.text("banners"));
check(/SAFE STATE 1: operator/.test(run.control("status")), "the run says the same", run.control("status"));
check(await until(async () => /\d+ safe by page\d+@\S+: done/.test(await page.text("events"))), "the events name who stopped it", await page.text("events"));
check(await until(async () => (await page.text("holder")) === "this page"), "this page holds the bench", await page.text("held"));
await page.click("#reset");
check(await until(async () => (await page.state()) === "running"), "reset leaves it", await page.text("toasts"));
check(/ running, held by page/m.test(run.control("status")), "in the run as well", run.control("status"));

// ---- a person drives; pedals and hand wheel on the page are what the run says of itself
const happened = async (pattern) => pattern.test(await page.text("events"));
const pedal = (name) => page.evaluate((id) => Number(/scaleY\((.*)\)/.exec(document.getElementById(id).style.transform)?.[1]), `pedal-${name}`);
await page.keyboard.press("g");
await page.keyboard.down("ArrowLeft");
await page.keyboard.down("ArrowUp");
check(await until(() => happened(/driver.*person/)), "a person takes the car by keyboard", await page.text("events"));
check(await until(async () => Number(await page.text("steer")) > 3 && (await pedal("throttle")) > 0.5), "turns its hand wheel to the left and drives", await page.text("steer"));
await page.keyboard.up("ArrowLeft");
await page.keyboard.up("ArrowUp");
await page.evaluate(() => window.dispatchEvent(new Event("blur")));
check(await until(() => happened(/driver.*lost/)), "input that stays away is an event", await page.text("events"));
await page.evaluate(() => window.dispatchEvent(new Event("focus")));
await page.evaluate(() => pad({ steer: 0.9, throttle: 0.6 }));
check(await until(async () => Number(await page.text("steer")) < -3), "a gamepad's stick steers to the right", await page.text("steer"));
check(await until(async () => Math.abs((await pedal("throttle")) - 0.6) < 0.01), "its trigger is the throttle", await pedal("throttle"));
check(/left stick/.test(await page.text("drive-hint")), "and the page says how to drive", await page.text("drive-hint"));
await page.evaluate(() => pad({ steer: 0.9, brake: 0.5 }));
check(await until(async () => (await pedal("throttle")) === 0 && Math.abs((await pedal("brake")) - 0.5) < 0.01), "the other trigger brakes", await pedal("brake"));
await page.evaluate(() => pad({ steer: 0.9, throttle: 0.3 }));
await until(async () => (await pedal("throttle")) > 0.29);
await page.evaluate(() => pad(null));
check(await until(async () => /Input lost/.test(await page.text("drive-hint"))), "a gamepad that is pulled out is noticed", await page.text("drive-hint"));
check(await until(async () => (await pedal("throttle")) === 0 && Math.abs((await pedal("brake")) - 0.2) < 0.01 && (await pedal("clutch")) === 1), "the run lets go of the throttle and brakes gently", `${await pedal("throttle")} ${await pedal("brake")}`);
check(await until(async () => (await page.text("steer")) === "0"), "and turns the hand wheel back to the middle", await page.text("steer"));
await page.evaluate(() => pad({ throttle: 0.4 }));
check(await until(async () => Math.abs((await pedal("throttle")) - 0.4) < 0.01), "plugged in again it goes on", await pedal("throttle"));
await page.evaluate(() => pad(null));
await page.keyboard.press("g");
check(await until(() => happened(/driver.*scenario/)), "the car is given back", await page.text("events"));

// ---- another scenario
await page.click("#tab-scenario");
check((await page.inputValue("#scenario")) === "circle", "the scenario that runs is the one chosen", await page.inputValue("#scenario"));
await page.selectOption("#scenario", "straight");
await page.click("#scenario-load");
check(await until(async () => (await page.state()) === "waiting" && /long straight/.test(await page.text("facts"))), "another scenario waits for its start", `${await page.text("facts")}\n${run.said}`);
check(await until(() => /waiting for a start/.test(run.control("status"))), "in the run as well", run.control("status"));
const events = readFileSync(join(folder, "bench-1.events.txt"), "utf8");
check([/fault begins: wire_fl/, /set-up changed/, /safe state: operator/, /reset/, /input is lost/].every((what) => what.test(events)), "the first run's own log has all that was done", events);
await page.keyboard.press("F2");
check(await until(async () => (await page.state()) === "running" && Number(await page.text("speed")) > 20), "F2 starts it", await page.text("toasts"));
check(await until(() => /tick [1-9]\d* .* [1-9]\S* km\/h running/.test(run.control("status"))), "and it drives", run.control("status"));

// ---- another target, and the end of one
const second = startRun(folder, host, { name: "bench-2", scenario: "slalom.yaml", seconds: 60, more: ["limits: {missed_in_row: 1000000}"] });
check(await until(async () => (await page.locator("#target option").count()) === 2), "a second target appears", host.host.said + second.said);
await page.selectOption("#target", "1");
check(await until(async () => /slalom/i.test(await page.text("facts")) && (await page.state()) === "running"), "and is shown", await page.text("facts"));
await page.click("#tab-faults");
await page.click("[data-fault='0']");
check(await until(async () => (await page.text("trouble")) === "1" && Number(await page.text("unit-speed")) > 20), "a wheel sensor without edges becomes a trouble code", await page.text("trouble"));
await page.click("#trouble");
check(await until(async () => /C0035-31.*front left wheel sensor.*present, lamp/.test(await page.text("codes"))), "which is told by name and status", await page.text("codes"));
check(/C0035-31 status 0x/.test(second.control("dtc")), "as the run's own tester tells it", second.control("dtc"));
await page.screenshot({ path: join(shots, "host-codes.png") });
second.kill("SIGKILL");
check(await until(async () => (await page.state()) === "stale"), "a target that dies leaves old data, unmistakably");
await page.selectOption("#target", "0");
check(await until(async () => (await page.state()) === "running"), "the first one runs on", `${await page.state()} ${await page.text("banners")} ${JSON.stringify(await page.stats())}\n${run.said}`);
await run.stop();
check(await until(async () => ["ended", "stale"].includes(await page.state())), "a run that ends is no longer shown as running");
check(page.complaints.length === 0, "without a complaint", page.complaints.join("\n"));
await page.context().close();

// ---- who may not in
page = await open(browser, `${host.origin}/?token=00000000000000000000000000000000`, { init: noWebGL });
check(await until(async () => (await page.state()) === "refused"), "a wrong token is refused");
check((await page.stats()).records === 0, "and gets no data");
await page.context().close();
const upgrade = (headers) =>
    new Promise((resolve) => {
        const url = new URL(host.url);
        const r = request({ host: url.hostname, port: url.port, path: `/ws${url.search}`, headers: { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "skidpad.1", ...headers } });
        r.on("response", (response) => { response.resume(); resolve(response.statusCode); });
        r.on("upgrade", (response, socket) => { socket.destroy(); resolve(response.statusCode); });
        r.on("error", (e) => resolve(String(e)));
        r.end();
    });
check((await upgrade({ Origin: host.origin })) === 101, "the right token and origin are let in");
check((await upgrade({ Origin: "http://elsewhere.example" })) === 403, "another origin is refused");

await browser.close();
await host.host.stop();
finish();
