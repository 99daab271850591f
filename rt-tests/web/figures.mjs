// The pictures of docs/page.md, from real runs on the real host: `make web-figures`.
//
//   node rt-tests/web/figures.mjs FOLDER DOCS_IMG [NAME...]
import { join } from "node:path";
import { startHost, startRun } from "./bench.mjs";
import { launch, open, until } from "./browser.mjs";

const [folder, images, ...only] = process.argv.slice(2);
const browser = await launch();
const TRIES = 5;
const full = () => localStorage.setItem("skidpad.quality", "full");

// A first run warms the page up (shaders take seconds without a graphics card); the second one is
// caught when it is at_s old. One that missed a deadline because the drawing took the processor is
// driven again. How often the page was drawn, and how late, says nothing here: it is left out.
async function figure(name, { at_s, options, window, act = async () => {} }) {
    if (only.length > 0 && !only.includes(name)) return;
    const host = await startHost(join(folder, name));
    const more = ["limits: {missed_in_row: 1000000}"];
    const page = await open(browser, host.url, { ...window, init: full });
    await page.evaluate(() => (document.querySelector(".vitals").style.visibility = "hidden"));
    const first = startRun(join(folder, name), host, { seconds: 2, ...options, more });
    await until(async () => (await page.stats()).frames > 6 && (await page.state()) === "ended", 60000);
    await first.stop();
    if (window.key) await page.keyboard.press(window.key);
    if (window.width > 700) await page.click("#tab-setup");
    for (let tries = 1; ; tries++) {
        const run = startRun(join(folder, name), host, { seconds: 100, ...options, more });
        await until(async () => (await page.state()) === "running" && (await page.stats()).time_s > at_s, 60000);
        await act({ page, run });
        await page.screenshot({ path: join(images, `${name}.png`) });
        const missed = await page.text("missed");
        console.log(`${name}: ${await page.state()}, ${missed} missed ${page.complaints.join(" ")}`);
        await run.stop();
        if (missed === "0" || tries === TRIES) break;
        await until(async () => ["ended", "stale"].includes(await page.state()), 60000);
    }
    await page.context().close();
    await host.host.stop();
}

const split = { scenario: "abs_split.yaml" };
await figure("page_dark", { at_s: 1.0, options: split, window: { width: 1360, height: 850 } });
await figure("page_light", { at_s: 4.5, options: { scenario: "slalom.yaml", unit: false }, window: { width: 1200, height: 760, theme: "light", key: "4" } });
await figure("page_phone", { at_s: 1.2, options: split, window: { width: 390, height: 780 } });
await figure("page_stale", {
    at_s: 1.2, options: split, window: { width: 1280, height: 800 },
    act: async ({ page, run }) => {
        run.kill("SIGKILL");
        await until(async () => (await page.state()) === "stale");
        await page.waitForTimeout(2500);
    },
});
await browser.close();
