// The page in a browser, driven by a stand-in of the host that replays a real drive.
//
//   node rt-tests/web/test_page.mjs DRIVE.csv SCREENSHOTS
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startMock } from "./mock.mjs";
import { check, finish, launch, note, noWebGL, open, until } from "./browser.mjs";

const [csv, shots] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const mock = await startMock({ csv });
const bench = mock.targets[0];
const browser = await launch();
const shot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });

// ---- the drive is seen
let page = await open(browser, mock.url, { width: 1280, height: 800 });
check(await until(async () => (await page.state()) === "running"), "the page connects and shows a running target");
check(!page.url().includes("token"), "the token is no longer in the address", page.url());
await page.waitForFunction(() => skidpad.stats().car[0] > 0);
const before = await page.stats();
check(await until(async () => Math.abs((await page.stats()).car[0] - before.car[0]) > 1), "the car moves");
check(await until(async () => (await page.stats()).charts > before.charts + 4), "charts are drawn again and again");
check(await until(async () => (await page.stats()).chartTime_s !== before.chartTime_s), "with new data");
check(await until(async () => /\d/.test(await page.text("speed"))), "the speed is shown");
check((await page.locator(".legend-item").count()) >= 9, "charts name their signals");
check(/dry.*snow/s.test(await page.text("surfaces")), "the friction of the surfaces is named");
await shot(page, "wide-dark");
for (const key of ["2", "3", "4"]) {
    const drawn = (await page.stats()).frames;
    await page.keyboard.press(key);
    await until(async () => (await page.stats()).frames > drawn + 2);
    await shot(page, `camera-${key}`);
}
check((await page.getAttribute("[data-camera='free']", "aria-checked")) === "true", "digits choose cameras");
await page.keyboard.press("1");

const s = await page.stats();
note(`3D by software: ${s.fps.toFixed(1)} frames/s, script ${s.script_ms.toFixed(2)} ms per frame, 95 %: ${s.script_p95_ms.toFixed(2)} ms`);
check(s.frames > 20, "frames are drawn", JSON.stringify(s));
check(page.complaints.length === 0, "nothing to complain about in the console", page.complaints.join("\n"));
await page.context().close();

// ---- the rest without WebGL: quick, and it must work as well
page = await open(browser, mock.url, { init: noWebGL });
check(await until(async () => (await page.stats()).frames > 120), "the page works without WebGL", JSON.stringify(await page.stats()));
await until(async () => (await page.stats()).chartRecords > 300); // the drive may just have begun anew
const flat = await page.stats();
// How long a frame's script takes with 1 kHz data is the page's own doing; frames/s are the machine's.
note(`without 3D: ${flat.fps.toFixed(1)} frames/s with 1 kHz data, script ${flat.script_ms.toFixed(2)} ms per frame, 95 %: ${flat.script_p95_ms.toFixed(2)} ms`);
note(`host to page: median ${flat.latency_p50_ms.toFixed(2)} ms, 95 %: ${flat.latency_p95_ms.toFixed(2)} ms`);
check(Math.abs(flat.chartRecords - 1 - 1000 * flat.chartSpan_s) < 0.5 && flat.dropped === 0, "every record of the 1 kHz stream is kept", JSON.stringify(flat));

// ---- stop: the safe state
await page.keyboard.press("Escape");
check(await until(() => mock.commands.some((c) => c.command === "stop")), "Escape stops");
check(await until(async () => (await page.state()) === "safe"), "the safe state is shown on the whole page");
check(/operator stop/.test(await page.text("banners")), "with its cause", await page.text("banners"));
await shot(page, "safe");
check((await page.isDisabled("#start")) && (await page.isEnabled("#reset")), "which only a reset leaves");
await page.click("#reset");
check(await until(async () => (await page.state()) === "running"), "and it does");

// ---- who holds the bench
const heldBy = (who) => until(async () => (await page.isVisible("#held")) && (await page.text("holder")) === who && /held by/.test(await page.text("held")));
bench.holder = "anna";
check(await heldBy("anna"), "who holds the bench is shown", await page.text("held"));
check((await page.evaluate(() => document.getElementById("held").previousElementSibling.id)) === "state", "beside the state of the run");
await page.click("#take");
check(await until(() => mock.commands.some((c) => c.command === "take")), "and can be taken over from");
check((await heldBy("this page")) && (await page.isHidden("#take")), "then it is this page");
bench.holder = "";
check((await heldBy("nobody")) && (await page.isHidden("#take")), "or nobody");

// ---- somebody is refused
mock.refused.push({ who: '"<b>x</b>" at 10.0.0.2:4000', why: "has another key than this host: nothing of it is taken; give both the same", packets: 3 });
mock.hello();
check(await until(async () => /Refused.*"<b>x<\/b>" at 10.0.0.2:4000 has another key/.test(await page.text("banners"))), "a sender that is refused is named, as text");
await shot(page, "refused");
mock.refused.pop();
mock.hello();
check(await until(async () => !/Refused/.test(await page.text("banners"))), "and no longer when it is gone");

// ---- old data
bench.held = true;
check(await until(async () => (await page.state()) === "stale"), "old data is shown as such");
check((await page.getAttribute("body", "data-old")) === "1" && /Old data/.test(await page.text("banners")), "with a banner and grey values");
check((await page.evaluate(() => getComputedStyle(document.querySelector(".cluster")).filter)) === "grayscale(1)", "values are grey");
await shot(page, "stale");
bench.held = false;
check(await until(async () => (await page.state()) === "running"), "new data clears it");

// ---- commands and what comes of them
check((await page.inputValue("#scenario")) === "abs_split", "the scenario that runs is the one shown");
await page.selectOption("#scenario", "slalom");
await page.click("#scenario-load");
check(await until(() => mock.commands.some((c) => c.command === "scenario" && c.scenario === "slalom")), "another one is loaded");
check(await until(async () => (await page.state()) === "waiting" && (await page.isVisible("#ready-start"))), "it waits, and the page says what to do");
check((await page.text("clock")) === "–" && (await page.isDisabled("#reset")), "nothing of the run before is left");
await shot(page, "ready");
await page.click("#ready-start");
check(await until(async () => (await page.state()) === "running" && (await page.isHidden("#ready"))), "and begins");
check(await until(async () => (await page.stats()).time_s > 0.1 && (await page.stats()).time_s < 5), "at its beginning");
await page.click("#tab-faults");
await page.click("[data-fault='1']");
check(await until(() => bench.faults[1].on), "a fault is injected");
check(await until(async () => (await page.getAttribute("[data-fault='1']", "aria-checked")) === "true"), "and shown as acting");
check(await until(async () => (await page.text("fault-count")) === "1"), "and counted");
await page.click("[data-fault='1']");
check(await until(async () => !bench.faults[1].on && (await page.isHidden("#fault-count"))), "and taken back");
await page.click("#tab-setup");
await page.locator("#setup input").first().fill("42013"); // a slider gives round values
check(await until(() => mock.commands.some((c) => c.command === "setup" && c.name === "front_spring_Npm" && c.value === 42000)), "a spring is changed while it drives");

// ---- missed deadlines
bench.provoke(3.4e6, "step");
bench.provoke(0.4e6, "send");
bench.deadlines.switches = 2;
check(await until(async () => (await page.text("missed")) === "2"), "provoked misses are counted");
check(await until(async () => /3\.40 ms.*step.*400 µs.*send/s.test(await page.text("worst"))), "the worst ticks are listed with their phase, the worst first", await page.text("worst"));
check((await page.getAttribute("#missed-box", "data-bad")) === "1" && (await page.text("switches")) === "2", "misses and mode switches stand out");
await page.click("#tab-events");
check(await until(async () => /missed/.test(await page.text("events"))), "events are listed");
for (let i = 0; i < 1500; i++) bench.provoke(1000 + i, "log");
check(await until(async () => (await page.stats()).events > 1500), "a flood of events arrives");
check(await until(async () => /late by up to 2\.5 µs.*1500 times since/s.test(await page.text("events"))), "as one line with the worst, the number and the first time", await page.text("events"));
for (let i = 0; i < 300; i++) bench.event("link", { text: i % 2 ? "chassis: bus passive" : "chassis: frames lost +2" });
const lines = async () => (await page.locator("#events li[data-kind='link']").allTextContents()).join("\n");
check(await until(async () => /bus passive 150 times since \d+\.\d{3} s/.test(await lines()) && /frames lost \+300 150 times/.test(await lines())), "a bus that flaps takes a line for each of its texts", await lines());
check((await page.locator("#events li[data-kind='link']").count()) === 2 && /fault on/.test(await page.text("events")), "and nothing else is pushed out", await page.text("events"));
await shot(page, "events");
await page.selectOption("#event-kind", "link");
check(await until(async () => (await page.locator("#events li").count()) === 2), "one kind can be chosen", await page.text("events"));
await page.selectOption("#event-kind", "");
check(await until(async () => (await page.locator("#events li").count()) > 4), "and all of them again");
check((await page.locator("#events li").count()) <= 120, "the list stays short");
check(await until(async () => (await page.state()) === "running"), "and the page is alive");

// ---- a lost connection
const connections = mock.connections();
mock.drop();
check(await until(() => mock.connections() > connections), "a lost connection is made again without help");
check(await until(async () => (await page.state()) === "running"), "and data flows again");

// ---- charts: choose, pause, zoom, cursors
await page.locator(".chart [title='Choose signals']").nth(2).click();
await page.fill("#picker-search", "damper fl");
await page.keyboard.press("Enter");
check((await page.getAttribute("[data-signal='fl_damper_N']", "aria-selected")) === "true", "a signal is found by words and chosen by keyboard");
await page.keyboard.press("Escape");
check(await page.isHidden("#picker"), "Escape closes the choice");
check(await until(async () => /damper/.test(await page.locator(".chart").nth(2).innerText())), "and drawn");
await page.keyboard.press("p");
const held = (await page.stats()).charts;
await page.waitForTimeout(300);
check((await page.stats()).charts - held <= 6, "a pause holds the charts");
const plot = await page.locator(".chart .u-over").first().boundingBox();
await page.mouse.move(plot.x + plot.width * 0.3, plot.y + 30);
await page.mouse.down();
await page.mouse.move(plot.x + plot.width * 0.6, plot.y + 40, { steps: 5 });
await page.mouse.up();
check(await until(async () => (await page.stats()).charts > held), "dragging zooms");
await page.mouse.click(plot.x + plot.width * 0.4, plot.y + 20);
await page.keyboard.down("Shift");
await page.mouse.click(plot.x + plot.width * 0.7, plot.y + 20);
await page.keyboard.up("Shift");
check(/A .* s.*B .* s.*Δ .* s/s.test(await page.text("cursor-readout")), "two cursors measure", await page.text("cursor-readout"));
await shot(page, "zoom");
await page.keyboard.press("p");

// ---- a person drives
await page.keyboard.press("g");
check(await until(() => bench.inputs.length > 5), "driving sends input");
await page.keyboard.down("ArrowUp");
await page.keyboard.down("a");
check(await until(() => bench.inputs.some((i) => i.throttle > 0.5 && i.hand_wheel_rad > 0.1)), "keys press the throttle and steer left");
await page.keyboard.up("a");
await page.keyboard.up("ArrowUp");
check(await until(() => bench.inputs.at(-1).throttle === 0 && bench.inputs.at(-1).hand_wheel_rad === 0), "and let go");
await page.keyboard.press("q");
check(await until(() => bench.inputs.at(-1).gear === -1), "Q engages reverse");
const jumps = bench.inputs.slice(1).map((i, k) => Math.abs((i.hand_wheel_rad ?? 0) - (bench.inputs[k].hand_wheel_rad ?? 0)));
check(Math.max(...jumps) < 1.0, "the hand wheel moves without jumps", Math.max(...jumps)); // 9 rad/s for 0.1 s at most
await page.evaluate(() => window.dispatchEvent(new Event("blur")));
await until(async () => (await page.getAttribute("body", "data-drive")) === "lost");
const sent = bench.inputs.length;
await page.waitForTimeout(300);
check(bench.inputs.length - sent <= 1 && /Input lost/.test(await page.text("drive-hint")), "without focus nothing is sent, and the page says so");
await page.evaluate(() => window.dispatchEvent(new Event("focus")));
check(await until(() => bench.inputs.length > sent + 2), "with the focus back it goes on");
await page.keyboard.press("g");
check(await until(() => bench.inputs.at(-1).release === true), "the car is given back");

// ---- another target
await page.selectOption("#target", "1");
check(await until(async () => (await page.state()) === "running" && (await page.text("missed")) === "0"), "another target shows its own numbers");
check(mock.targets[1].inputs.length === 0, "and no input reaches it unasked");
await page.selectOption("#target", "0");

// ---- keyboard and labels
const stops = () => mock.commands.filter((c) => c.command === "stop").length;
const stopped = stops();
await page.keyboard.press("?");
check(await page.isVisible("#help"), "? lists the keys");
await shot(page, "help");
await page.keyboard.press("Escape");
check((await until(async () => (await page.state()) === "running")) && stops() === stopped, "closing it with Escape does not stop the run", await page.state());
const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input")].filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length)).map((e) => e.outerHTML));
check(unnamed.length === 0, "every control has a name", unnamed.join("\n"));
await page.keyboard.press("Tab");
check((await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle)) === "solid", "the focus is seen");
check(page.complaints.length === 0, "still nothing to complain about", page.complaints.join("\n"));
await page.context().close();

// ---- who may not in
page = await open(browser, `${mock.origin}/`, { init: noWebGL });
check(await until(async () => (await page.state()) === "refused"), "a missing token is refused");
check(/Open the address/.test(await page.text("banners")) && (await page.stats()).records === 0, "the page says what to do, and no data came");
await page.context().close();

// ---- windows of all sizes, light and dark
page = await open(browser, mock.url, { init: noWebGL });
bench.holder = "page3@a-long-name-of-PC";
for (const [name, width, height, theme] of [["phone-light", 390, 844, "light"], ["phone-dark", 390, 844, "dark"], ["tablet-dark", 900, 1000, "dark"], ["narrow-dark", 720, 900, "dark"], ["half-light", 1080, 800, "light"], ["laptop-dark", 1180, 760, "dark"], ["desk-dark", 1270, 760, "dark"], ["wide-light", 1680, 1000, "light"]]) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    const { frames } = await page.stats();
    await until(async () => (await page.state()) === "running" && (await page.stats()).frames > frames + 5 && (await page.text("holder")).startsWith("page3@"));
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, `${name}: nothing sticks out sideways`, `${over} px`);
    check((await page.evaluate(() => document.documentElement.dataset.theme)) === theme, `${name}: the system's theme`);
    // In sight without scrolling, and after it, whole.
    for (const scrolled of [0, 400]) {
        await page.evaluate((y) => window.scrollTo(0, y), scrolled);
        const hidden = await page.evaluate(() => ["state", "holder", "take", "stop"].filter((id) => {
            const box = document.getElementById(id).getBoundingClientRect();
            const inside = box.width > 40 && box.top >= 0 && box.bottom < 160 && box.left >= 0 && box.right <= innerWidth;
            const corners = [[box.left + 4, box.top + 4], [box.right - 4, box.bottom - 4]];
            return !inside || !corners.every(([x, y]) => document.getElementById(id).contains(document.elementFromPoint(x, y)));
        }));
        const shown = await page.evaluate(() => document.getElementById("holder").getBoundingClientRect().width);
        check(hidden.length === 0 && shown > 100, `${name}: state, who holds the bench, and stop are in sight, ${scrolled} px scrolled`, `${hidden} ${shown} px`);
    }
    await page.evaluate(() => window.scrollTo(0, 0));
    await shot(page, name);
    if (name === "phone-light") {
        for (const section of ["deadlines", "charts", "bench"]) {
            await page.click(`#sections [data-section='${section}']`);
            check(await page.isVisible(`.panel[data-section='${section}']`), `${name}: ${section} opens`);
            if (section === "charts") await until(async () => (await page.locator(".chart .u-over").count()) > 0);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            check(wide <= 0, `${name}: ${section} fits`, `${wide} px`);
            await page.evaluate(() => window.scrollTo(0, 400));
            await shot(page, `${name}-${section}`);
        }
    }
}
check(page.complaints.length === 0, "without a complaint", page.complaints.join("\n"));

await browser.close();
mock.stop();
finish();
