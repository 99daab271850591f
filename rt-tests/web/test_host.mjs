// The page on the real host, with a real run behind it in real time.
//
//   node rt-tests/web/test_host.mjs FOLDER SCREENSHOTS
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "node:http";
import { startHost, startRun } from "./bench.mjs";
import { check, finish, launch, note, noWebGL, open, root, until } from "./browser.mjs";

const [folder, shots] = process.argv.slice(2);
const host = await startHost(folder);
// The pedal makes the pressures: whether a unit in another process keeps its time is the machine's
// matter. Missed deadlines are expected on a busy one, and must not end in the safe state by themselves.
const calm = { unit: false, more: ["provoke: [{tick: 1500, ticks: 1, delay_us: 400000}]", "limits: {missed_in_row: 1000000}", "control: bench.sock"] };
// A circle without an end, whoever drives.
const circle = join(folder, "circle.yaml");
mkdirSync(shots, { recursive: true });
writeFileSync(circle, `kind: scenario
name: endless circle
vehicle: ${join(root, "config/vehicles/sedan.yaml")}
duration_s: 600
road:
  closed: true
  segments: [{radius_m: 60, angle_deg: 360}]
start: {speed_kmh: 40}
driver: {gear: 3, path: {road: {offset_m: 0}, speed_kmh: 45}}
`);
const run = startRun(folder, host, { ...calm, scenario: circle, seconds: 100 });
const browser = await launch();

let page = await open(browser, host.url, { width: 1280, height: 800 });
check(await until(async () => (await page.state()) === "running"), "the page shows the run", host.host.said + run.said);
check(!page.url().includes("token"), "the token is no longer in the address", page.url());
const before = await page.stats();
check(await until(async () => Math.abs((await page.stats()).car[0] - before.car[0]) > 1), "the car moves");
check(await until(async () => (await page.stats()).chartTime_s > before.chartTime_s + 0.5 && (await page.stats()).charts > before.charts), "charts are drawn with new data");
check(/sedan/.test(await page.text("facts")), "car and scenario are named", await page.text("facts"));
check(await until(async () => Number((await page.text("missed")).replace(/\D/g, "")) > 0), "the provoked miss is counted");
check(await until(async () => /1\u2009500/.test(await page.text("worst"))), "and is among the worst ticks", await page.text("worst"));
await page.screenshot({ path: join(shots, "host.png") });
const drawn = await page.stats();
note(`3D by software: ${drawn.fps.toFixed(1)} frames/s, script ${drawn.script_ms.toFixed(2)} ms per frame`);
check(page.complaints.length === 0, "nothing to complain about in the console", page.complaints.join("\n"));
await page.context().close();

page = await open(browser, host.url, { init: noWebGL });
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
await page.click("#reset");
check(await until(async () => (await page.state()) === "running"), "reset leaves it", await page.text("toasts"));

await page.keyboard.press("g");
await page.keyboard.down("ArrowLeft");
await page.keyboard.down("ArrowUp");
check(await until(async () => /person/.test(await page.text("events")) || /drives/.test(await page.text("events"))), "a person takes the car", await page.text("events"));
check(await until(async () => Number(await page.text("steer")) > 3), "and turns its hand wheel to the left", await page.text("steer"));
await page.keyboard.up("ArrowLeft");
await page.keyboard.up("ArrowUp");
await page.evaluate(() => window.dispatchEvent(new Event("blur")));
check(await until(async () => /lost/.test(await page.text("events"))), "input that stays away is an event", await page.text("events"));
await page.evaluate(() => window.dispatchEvent(new Event("focus")));
await page.keyboard.press("g");

// ---- another target, and the end of one
const second = startRun(folder, host, { ...calm, name: "bench-2", scenario: "slalom.yaml", seconds: 60, more: ["limits: {missed_in_row: 1000000}"] });
check(await until(async () => (await page.locator("#target option").count()) === 2), "a second target appears", host.host.said + second.said);
await page.selectOption("#target", "1");
check(await until(async () => /slalom/i.test(await page.text("facts")) && (await page.state()) === "running"), "and is shown", await page.text("facts"));
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
