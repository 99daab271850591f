// For tests of the page: Debian's chromium by playwright-core, TAP, waiting without sleeping.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { chromium } = createRequire(join(root, "host/web/package.json"))("playwright-core");
const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

let run = 0;
let failed = 0;

export function check(ok, name, why = "") {
    run++;
    if (!ok) failed++;
    console.log(`${ok ? "ok" : "not ok"} ${run} - ${name}`);
    if (!ok && why !== "") console.log(`# ${String(why).replaceAll("\n", "\n# ")}`);
}

export function note(text) {
    console.log(`# ${text}`);
}

export function finish() {
    console.log(`1..${run}`);
    process.exitCode = failed === 0 ? 0 : 1;
}

// Waits until the function gives something true; false if that takes too long. The limit is wide:
// a browser without a graphics card on a busy machine draws a few frames a second.
export async function until(what, limit_ms = 15000) {
    const end = performance.now() + limit_ms;
    while (performance.now() < end) {
        if (await what()) return true;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
}

export async function launch() {
    return chromium.launch({ executablePath, args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
}

// For `open`: a gamepad that tests hold, plug in and pull out: pad({steer, throttle, brake}), pad(null).
export function stubGamepad() {
    let held = null;
    navigator.getGamepads = () => [held];
    globalThis.pad = (hands) => {
        const had = held !== null;
        const button = (value) => ({ value, pressed: value > 0.5, touched: value > 0 });
        held = hands && { connected: true, index: 0, id: "stub", mapping: "standard", axes: [hands.steer ?? 0, 0, 0, 0],
            buttons: Array.from({ length: 16 }, (_, k) => button([hands.reverse, hands.forwards, hands.brake, hands.throttle][k - 4] ?? 0)) };
        if (had !== (held !== null)) dispatchEvent(new Event(held ? "gamepadconnected" : "gamepaddisconnected"));
    };
}

// For `open`: a browser without 3D graphics.
export function noWebGL() {
    HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
        apply: (f, self, args) => (String(args[0]).startsWith("webgl") ? null : Reflect.apply(f, self, args)),
    });
}

// A page whose console is watched: everything that a user would find there as a warning or error,
// except what the software renderer says of itself.
export async function open(browser, url, { width = 1440, height = 900, theme = "dark", init = null } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "no-preference" });
    for (const script of [init ?? []].flat()) await context.addInitScript(script);
    const page = await context.newPage();
    page.complaints = [];
    page.on("console", (m) => {
        if ((m.type() === "error" || m.type() === "warning") && !/GL Driver Message/.test(m.text())) page.complaints.push(`${m.type()}: ${m.text()}`);
    });
    page.on("pageerror", (e) => page.complaints.push(`exception: ${e.message}`));
    await page.goto(url);
    page.stats = () => page.evaluate(() => globalThis.skidpad.stats());
    page.state = () => page.getAttribute("body", "data-state");
    page.text = async (id) => (await page.textContent(`#${id}`))?.trim() ?? "";
    return page;
}
