// The pictures of docs/page.md, from real runs on the real host: `make web-figures`.
//
//   node rt-tests/web/figures.mjs FOLDER DOCS_IMG [NAME...]
import { join, resolve } from "node:path";
import { startHost, startRun } from "./bench.mjs";
import { launch, open, until } from "./browser.mjs";

const [into, images, ...only] = process.argv.slice(2);
const folder = resolve(into); // programs run in it
const browser = await launch();
const TRIES = 5;
const full = () => localStorage.setItem("skidpad.quality", "full");

// The page holds a moment of a run: without a graphics card to draw it takes seconds, and would take
// the processor from the run. While the run waits for its start the page draws for the first time.
// A run that missed a deadline is driven again. Frame rate and link say nothing here: left out.
async function figure(name, { at_s, options, window, act = async () => {} }) {
    if (only.length > 0 && !only.includes(name)) return;
    for (let tries = 1; tries <= TRIES; tries++) {
        const host = await startHost(join(folder, `${name}${tries}`));
        const run = startRun(join(folder, `${name}${tries}`), host, { seconds: 100, ...options, more: ["wait_for_start: true", "limits: {missed_in_row: 1000000}"] });
        const page = await open(browser, host.url, { ...window, init: full });
        await page.evaluate(() => (document.querySelector(".vitals").style.visibility = "hidden"));
        await until(async () => (await page.state()) === "waiting" && (await page.stats()).frames > 3 && (await page.isEnabled("#start")), 60000);
        if (window.key) await page.keyboard.press(window.key);
        if (window.width > 700) await page.click("#tab-setup");
        await page.evaluate((s) => skidpad.hold(s), at_s);
        await page.click("#start");
        await until(async () => (await page.stats()).held, 60000);
        await act({ page, run });
        const { frames } = await page.stats();
        await until(async () => (await page.stats()).frames > frames + 3, 60000);
        await page.screenshot({ path: join(images, `${name}.png`) });
        const missed = await page.text("missed");
        console.log(`${name}: ${await page.state()}, ${missed} missed ${page.complaints.join(" ")}`);
        await page.context().close();
        await run.stop();
        await host.host.stop();
        if (missed === "0") return;
    }
}

const split = { scenario: "abs_split.yaml" };
await figure("page_dark", { at_s: 3.2, options: split, window: { width: 1360, height: 850 } });
await figure("page_light", { at_s: 4.5, options: { scenario: "slalom.yaml", unit: false }, window: { width: 1200, height: 760, theme: "light", key: "4" } });
await figure("page_phone", { at_s: 3.2, options: split, window: { width: 390, height: 780 } });
await figure("page_stale", {
    at_s: 2.5, options: split, window: { width: 1280, height: 800 },
    act: async ({ page, run }) => {
        run.kill("SIGKILL");
        await page.evaluate(() => skidpad.hold(Infinity));
        await until(async () => (await page.state()) === "stale");
    },
});
await browser.close();
