// The page: one connection, one loop of frames, panels that read the same sampled values.

import "@fontsource/barlow/latin-400.css";
import "@fontsource/barlow/latin-500.css";
import "@fontsource/barlow/latin-600.css";
import "@fontsource/barlow-condensed/latin-500.css";
import "@fontsource/barlow-condensed/latin-600.css";
import "uplot/dist/uPlot.min.css";
import "./style.css";

import { Attribute, byId, choice, make, Text, toast } from "./dom";
import { Drive } from "./drive";
import { judge } from "./health";
import type { Health } from "./health";
import { Latency } from "./latency";
import { Link, takeToken } from "./link";
import { Bench } from "./panels/bench";
import { Brakes } from "./panels/brakes";
import { Charts, RING_RECORDS } from "./panels/charts";
import { Codes } from "./panels/codes";
import { DeadlinePanel } from "./panels/deadlines";
import { Instruments } from "./panels/instruments";
import { Playback } from "./playback";
import type { Batch, Command, Describe, Hello, Message, Refusal, Reply, Status, Target } from "./protocol";
import { SignalRing } from "./ring";
import { CAMERAS } from "./stage/cameras";
import type { CameraName } from "./stage/cameras";
import { Stage } from "./stage/stage";
import { at, VIEW_HOLDS, VIEW_SIGNALS, VIEW_WRAPS } from "./view_signals";

const VIEW_STREAM = 0;
const VIEW_HZ = 250;
const CHART_STREAMS = [1, 2]; // used in turn: records of the old choice never pass for the new one
const CHART_HZ = 1000;
const NUMBERS_MS = 60;

class App {
    private readonly link: Link;
    private readonly stage = new Stage(byId<HTMLCanvasElement>("stage"));
    private readonly instruments = new Instruments();
    private readonly brakes = new Brakes();
    private readonly deadlines = new DeadlinePanel();
    private readonly bench: Bench;
    private readonly codes: Codes;
    private readonly charts: Charts;
    private readonly drive: Drive;
    private readonly latency = new Latency();
    private readonly playback = new Playback();

    private targets: Target[] = [];
    private readonly problems = new Map<number, string>();
    private target = -1;
    private run = "";
    private readonly descriptions = new Map<number, Describe>();
    private status: Status | null = null;
    private status_ms = 0;
    private data_ms = -Infinity;

    private viewRing = new SignalRing([], 2);
    private viewSlots = new Int16Array(0);
    private viewWraps = new Uint8Array(0);
    private viewHolds = new Uint8Array(0);
    private sampled = new Float32Array(0);
    private readonly values = new Float32Array(VIEW_SIGNALS.length).fill(NaN);
    private chartRing = new SignalRing([], 2);
    private nextChartRing: SignalRing | null = null;
    private chartStream = 0;

    private theme: "light" | "dark" = "dark";
    private health: Health | null = null;
    private bannersShown = "";
    private mayCommand = true;
    private who = "";
    private readonly holderText = new Text(byId("holder"));
    private readonly heldBy = new Attribute(byId("held"), "data-by");
    private refused: Refusal[] = [];
    private readonly readyTitle = new Text(byId("ready-title"));
    private readonly readyText = new Text(byId("ready-text"));
    private readonly driveHint = new Text(byId("drive-hint"));
    private readonly clock = new Text(byId("clock"));
    private readonly stateWord = new Text(byId("state-word"));
    private readonly latencyText = new Text(byId("latency"));
    private readonly lostText = new Text(byId("lost"));
    private readonly fpsText = new Text(byId("fps"));
    private readonly bodyState = new Attribute(document.body, "data-state");
    private readonly bodyOld = new Attribute(document.body, "data-old");

    private lastFrame_ms = performance.now();
    private frames = 0;
    private readonly frameTimes = new Float32Array(240);
    private readonly scriptTimes = new Float32Array(240);
    private slow_ms = 0;
    private numbers_ms = 0;
    private records = 0;
    private dropped = 0;
    private hold_s = Infinity;
    private held = false;

    constructor() {
        const send = (command: Command): Promise<Reply> => this.link.command(this.target, command);
        this.bench = new Bench(send);
        this.codes = new Codes(send);
        this.charts = new Charts(() => this.chartRing, () => this.subscribeCharts());
        this.drive = new Drive({
            send: (input) => {
                this.link.send({ type: "command", id: 0, target: this.target, command: "drive", ...input });
            },
            release: () => void this.bench.run({ command: "drive", release: true }, "The scenario drives again"),
            changed: () => this.showDrive(),
            speed_mps: () => Math.abs(this.values[at("vx_mps")]) || 0,
        });
        this.link = new Link(takeToken(), {
            message: (message) => this.message(message),
            batch: (batch, now_ms) => this.batch(batch, now_ms),
            connected: (open) => {
                if (open) this.subscribeAll();
                else this.drive.lose();
            },
        });
        this.buildControls();
        this.initTheme();
        byId("no-webgl").hidden = this.stage.ready;
        requestAnimationFrame((now) => this.frame(now));
    }

    // ---- messages

    private message(m: Message): void {
        if (this.held) return;
        switch (m.type) {
            case "hello":
                this.hello(m);
                break;
            case "describe":
                this.descriptions.set(m.target, m);
                if (this.target < 0) this.chooseTarget(m.target);
                else if (m.target === this.target) this.describe(m);
                break;
            case "status":
                if (m.target !== this.target) break;
                this.status = m;
                this.bench.safe = m.safe ?? 0;
                this.status_ms = performance.now();
                this.deadlines.status(m.deadlines);
                break;
            case "event":
                if (m.target !== this.target) break;
                this.deadlines.event(m);
                this.bench.event(m);
                break;
            case "reply":
                // Nobody waits for it: driving was refused.
                if (!m.ok && this.drive.on) {
                    this.drive.giveUp();
                    toast(`Driving: ${m.text}`, true);
                }
                break;
            default:
                break;
        }
    }

    private hello(m: Hello): void {
        const targets = m.targets;
        this.targets = targets;
        this.mayCommand = m.may_command !== false;
        this.who = m.who ?? "";
        this.refused = m.refused ?? [];
        document.body.dataset.command = this.mayCommand ? "1" : "0";
        for (const t of targets) {
            if (t.problem && this.problems.get(t.id) !== t.problem) toast(`${t.name}: ${t.problem}`, true);
            this.problems.set(t.id, t.problem ?? "");
        }
        const select = byId<HTMLSelectElement>("target");
        select.replaceChildren(...targets.map((t) => make("option", { value: String(t.id) }, t.state === "running" ? t.name : `${t.name} (${t.state})`)));
        select.disabled = targets.length < 2;
        if (targets.some((t) => t.id === this.target)) select.value = String(this.target);
        else if (targets.length > 0) this.chooseTarget(targets[0].id);
    }

    private chooseTarget(id: number): void {
        if (this.target >= 0 && this.target !== id) {
            if (this.drive.on) this.drive.toggle();
            for (const stream of [VIEW_STREAM, ...CHART_STREAMS]) this.link.subscribe(this.target, stream, [], 1);
        }
        this.target = id;
        this.run = "";
        byId<HTMLSelectElement>("target").value = String(id);
        this.status = null;
        this.data_ms = -Infinity;
        this.values.fill(NaN);
        const description = this.descriptions.get(id);
        if (description) this.describe(description);
    }

    // Nothing of the run before passes for the new one's, and nobody drives it unasked.
    private newRun(run: string): void {
        this.run = run;
        this.status = null;
        this.data_ms = -Infinity;
        this.clock.set("–");
        this.deadlines.restart();
        this.bench.restart();
        if (this.drive.on) this.drive.giveUp();
    }

    private describe(d: Describe): void {
        if (d.run !== this.run) this.newRun(d.run);
        const signals = [...d.signals, ...(d.extra ?? [])];
        const known = new Set(signals.map((s) => s.name));
        const names = VIEW_SIGNALS.filter((name) => known.has(name));
        const slots = names.map((name) => VIEW_SIGNALS.indexOf(name));
        this.viewRing = new SignalRing(names, 1024);
        this.viewSlots = Int16Array.from(slots);
        this.viewWraps = Uint8Array.from(slots, (s) => VIEW_WRAPS[s]);
        this.viewHolds = Uint8Array.from(slots, (s) => VIEW_HOLDS[s]);
        this.sampled = new Float32Array(names.length);
        this.values.fill(NaN);
        this.playback.restart();
        this.latency.clear();
        const hasUnit = Boolean(d.run_info.unit);
        this.brakes.describe(d.car, hasUnit);
        this.bench.describe(d);
        this.codes.describe(d.codes ?? [], hasUnit);
        this.stage.describe(d);
        this.listSurfaces();
        this.chartRing = new SignalRing([], 2);
        this.charts.describe(signals, d.car);
        const info = [d.car?.name ?? d.run_info.car, d.run_info.scenario_name ?? d.run_info.scenario, d.run_info.backend].filter(Boolean);
        byId("run-info").textContent = info.join("  ·  ");
        document.title = `${d.car?.name ?? "car"} – skidpad`;
        this.subscribeAll();
    }

    private subscribeAll(): void {
        if (this.target < 0 || this.viewRing.names.length === 0) return;
        this.link.subscribe(this.target, VIEW_STREAM, this.viewRing.names, VIEW_HZ);
        this.subscribeCharts();
    }

    private subscribeCharts(): void {
        if (this.target < 0) return;
        const names = this.charts.wanted();
        this.link.subscribe(this.target, CHART_STREAMS[this.chartStream], [], 1);
        this.chartStream = 1 - this.chartStream;
        this.nextChartRing = new SignalRing(names, RING_RECORDS);
        if (names.length > 0) this.link.subscribe(this.target, CHART_STREAMS[this.chartStream], names, CHART_HZ);
    }

    private batch(batch: Batch, now_ms: number): void {
        if (batch.target !== this.target || batch.count === 0 || this.held) return;
        this.dropped += batch.dropped;
        this.records += batch.count;
        if (batch.stream === VIEW_STREAM) {
            if (batch.fields !== this.viewRing.names.length) return;
            this.data_ms = now_ms;
            if (this.viewRing.append(batch)) this.restarted();
            this.playback.arrived(batch.time_s(batch.count - 1), now_ms / 1000);
            this.latency.add(this.ageOfLast(batch, now_ms));
            this.held = this.viewRing.newestTime >= this.hold_s;
            if (this.held) this.stage.still = false;
        } else if (batch.stream === CHART_STREAMS[this.chartStream]) {
            if (this.nextChartRing) {
                this.nextChartRing.adopt(this.chartRing);
                this.chartRing = this.nextChartRing;
                this.nextChartRing = null;
            }
            if (batch.fields === this.chartRing.names.length) this.chartRing.append(batch);
        }
    }

    // Since the release of the tick on the target; NaN while the host does not know when that was.
    private ageOfLast(batch: Batch, now_ms: number): number {
        const first_s = this.status?.first_s ?? NaN;
        return now_ms / 1000 - this.link.clockOffset_s - (first_s + batch.time_s(batch.count - 1));
    }

    // The run's clock went back: it was reset or another scenario began.
    private restarted(): void {
        this.playback.restart();
        this.stage.clearMarks();
    }

    // ---- frames

    private frame(now_ms: number): void {
        requestAnimationFrame((next) => this.frame(next));
        const begun = performance.now();
        const dt_s = Math.max(0, (now_ms - this.lastFrame_ms) / 1000);
        this.lastFrame_ms = now_ms;
        const now_s = performance.now() / 1000;
        const fresh = this.health ? !this.health.old : false;
        if (this.viewRing.total > 0) {
            const t = this.held ? this.hold_s : fresh ? this.playback.time(now_s) : this.viewRing.newestTime;
            if (this.viewRing.sample(t, this.sampled, this.viewWraps, this.viewHolds)) {
                for (let k = 0; k < this.viewSlots.length; k++) this.values[this.viewSlots[k]] = this.sampled[k];
            }
            this.clock.set(Math.min(t, this.viewRing.newestTime).toFixed(2));
        }
        this.stage.draw(this.values, dt_s);
        const numbers = now_ms - this.numbers_ms > NUMBERS_MS;
        if (numbers) this.numbers_ms = now_ms;
        this.instruments.update(this.values, numbers);
        this.brakes.update(this.values, numbers);
        if (numbers) this.codes.update(this.values[at("unit_trouble")]);
        const shown_s = this.held ? this.hold_s : fresh ? this.playback.time(now_s) : Infinity;
        this.charts.draw(Math.min(shown_s, this.chartRing.newestTime), numbers);
        this.deadlines.draw();
        this.bench.faultsActive(this.values[at("faults_active")]);
        if (now_ms - this.slow_ms > 200 && !this.held) {
            this.slow_ms = now_ms;
            this.slow();
        }
        const k = this.frames++ % this.frameTimes.length;
        this.frameTimes[k] = dt_s * 1000;
        this.scriptTimes[k] = performance.now() - begun;
    }

    // What five times a second is often enough for.
    private slow(): void {
        const now_ms = performance.now();
        const sinceStatus_s = (now_ms - this.status_ms) / 1000;
        const listed = this.targets.find((t) => t.id === this.target);
        const description = this.descriptions.get(this.target);
        const state = this.status?.state ?? listed?.state ?? "";
        const health = judge({
            linkOpen: this.link.open, everOpen: this.link.everOpen, tries: this.link.tries, hasTarget: description !== undefined,
            age_s: (now_ms - this.data_ms) / 1000,
            hostAge_s: this.status ? this.status.age_s + Math.max(0, sinceStatus_s - 0.3) : 0,
            state, cause: this.status?.cause ?? "", begun: (this.status?.deadlines.ticks ?? 1) > 0,
            scenario: description?.run_info.scenario_name ?? description?.run_info.scenario ?? "the run", personDrives: description?.person_drives === true,
            refused: this.refused,
        });
        this.health = health;
        this.bodyState.set(health.state);
        this.bodyOld.set(health.old ? "1" : "0");
        this.stateWord.set(health.word);
        this.showBanners(health);
        this.showButtons(health, this.link.open ? state : "", description?.person_may_drive !== false);
        this.showHint(health);
        this.bench.draw();
        const p95 = this.latency.percentile(0.95) * 1000;
        this.latencyText.set(Number.isFinite(p95) ? `${Math.max(0, p95).toFixed(p95 < 10 ? 1 : 0)} ms` : "–");
        this.lostText.set(this.status ? String(this.status.lost) : "–");
        this.fpsText.set(this.stats().fps.toFixed(0));
    }

    private showBanners(health: Health): void {
        const text = health.banners.map((b) => `${b.kind}|${b.title}|${b.text}`).join("\n");
        if (text === this.bannersShown) return;
        this.bannersShown = text;
        byId("banners").replaceChildren(
            ...health.banners.map((b) => make("div", { class: `banner ${b.kind}` }, make("strong", {}, b.title), make("span", {}, b.text))),
        );
    }

    // Only what the run would take can be pressed.
    private showButtons(health: Health, state: string, personMay: boolean): void {
        const may = (id: string, yes: boolean): void => {
            byId<HTMLButtonElement>(id).disabled = !(yes && this.mayCommand);
        };
        const drives = state === "running" || state === "safe";
        may("start", state === "waiting");
        may("ready-start", state === "waiting");
        may("stop", drives || state === "waiting"); // anybody, at any time
        may("reset", state === "safe");
        may("drive", this.drive.on || (state === "running" && personMay));
        may("end", drives || state === "waiting");
        may("scenario-load", drives || state === "waiting");
        const holder = drives || state === "waiting" ? (this.status?.holder ?? "") : "";
        const other = holder !== "" && holder !== this.who;
        byId("held").hidden = !drives && state !== "waiting";
        this.heldBy.set(other ? "other" : holder === "" ? "nobody" : "own");
        byId("take").hidden = !other;
        may("take", other);
        this.holderText.set(other ? holder : holder === "" ? "nobody" : "this page");
        byId("held").title = other ? `${holder} commands the bench; anybody may stop it` : "";
        this.bench.running(drives);
        byId("ready").hidden = health.ready === null;
        if (!health.ready) return;
        this.readyTitle.set(health.ready.title);
        this.readyText.set(health.ready.text);
        byId("ready-start").hidden = !health.ready.start;
        byId("ready-scenario").hidden = !health.ready.start || byId("scenario-choice").hidden;
    }

    private showHint(health: Health): void {
        const lost = this.drive.on ? this.drive.lost : this.status?.driver === "lost";
        const text = this.drive.on
            ? this.drive.hint()
            : lost && health.state === "running"
              ? "Nobody drives: the car is kept at rest. Take the wheel with Drive, or G."
              : "";
        document.body.dataset.drive = lost ? "lost" : this.drive.on ? "on" : "off";
        byId("drive-hint").hidden = text === "";
        this.driveHint.set(text);
    }

    private listSurfaces(): void {
        byId("surfaces").replaceChildren(
            ...this.stage.scenery.surfaces.map((s) => {
                const swatch = make("i");
                swatch.style.background = `#${s.colour.toString(16).padStart(6, "0")}`;
                return make("li", {}, swatch, `${s.name} µ ${s.friction.toFixed(2)}`);
            }),
        );
    }

    // ---- controls

    private buildControls(): void {
        byId<HTMLSelectElement>("target").addEventListener("change", (event) => this.chooseTarget(Number((event.target as HTMLSelectElement).value)));
        const chooseCamera = choice(byId("cameras"), "aria-checked", (button) => this.stage.choose(button.dataset.camera as CameraName));
        const chooseSection = choice(byId("sections"), "aria-selected", (button) => (document.body.dataset.section = button.dataset.section ?? "brakes"));
        byId("forces").addEventListener("click", () => this.toggleForces());
        byId("drive").addEventListener("click", () => {
            this.drive.toggle();
            (document.activeElement as HTMLElement | null)?.blur(); // keys belong to the car now, not to a slider
        });
        byId("drive-hint").addEventListener("click", () => this.drive.regain());
        byId("ready-start").addEventListener("click", () => byId("start").click());
        byId("ready-scenario").addEventListener("click", () => {
            chooseSection(byId("sections").querySelector("[data-section=bench]") as HTMLButtonElement);
            this.bench.open("scenario");
            byId("scenario").focus();
        });
        byId("theme").addEventListener("click", () => this.setTheme(this.theme === "dark" ? "light" : "dark", true));
        const help = byId<HTMLDialogElement>("help");
        byId("help-open").addEventListener("click", () => help.showModal());
        byId("help-close").addEventListener("click", () => help.close());
        const keys: [string, string, () => void][] = [
            ...CAMERAS.map((name, k): [string, string, () => void] => [
                `${k + 1}`, `${name} camera`, () => chooseCamera(byId("cameras").querySelector(`[data-camera=${name}]`) as HTMLButtonElement),
            ]),
            ["v", "tyre forces on and off", () => this.toggleForces()],
            ["p", "hold the charts, or live again", () => byId("pause").click()],
            ["g", "take the wheel, or give it back", () => byId("drive").click()],
            ["f", "faults", () => this.bench.open("faults")],
            ["n", "scenarios", () => this.bench.open("scenario")],
            ["u", "set-up", () => this.bench.open("setup")],
            ["l", "events", () => this.bench.open("events")],
            ["t", "light or dark", () => byId("theme").click()],
            ["?", "this list", () => help.showModal()],
        ];
        this.listHelp(keys.map(([key, what]) => [key.toUpperCase(), what]));
        const byKey = new Map(keys.map(([key, , act]) => [key, act]));
        addEventListener("keydown", (event) => this.keyDown(event, byKey));
        addEventListener("keyup", (event) => this.drive.key(event, false));
    }

    private keyDown(event: KeyboardEvent, byKey: Map<string, () => void>): void {
        if (document.querySelector("dialog[open]") !== null || event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.key === "F2") byId("start").click();
        else if (event.key === "Escape") byId("stop").click();
        else if ((event.target as HTMLElement).matches("input, select")) return;
        else if (!this.drive.key(event, true)) {
            const act = byKey.get(event.key.toLowerCase());
            if (!act) return;
            act();
        }
        event.preventDefault();
    }

    private listHelp(keys: string[][]): void {
        const row = ([key, what]: string[]): HTMLElement => make("div", {}, make("kbd", {}, key), make("span", {}, what));
        const run = [["F2", "start"], ["Esc", "stop: safe state"]];
        const drive = [["← → A D", "steer"], ["↑ W", "throttle"], ["↓ S", "brake"], ["Q E", "reverse, forwards"], ["Gamepad", "left stick, triggers, shoulder buttons"]];
        const charts = [["Drag", "zoom"], ["Ctrl wheel", "zoom about the pointer"], ["Click", "cursor A, with Shift B"], ["Double-click", "live again"]];
        const group = (title: string, rows: string[][]): HTMLElement => make("section", {}, make("h3", {}, title), ...rows.map(row));
        byId("help-list").replaceChildren(group("Run", run), group("Page", keys), group("While driving", drive), group("Charts", charts));
    }

    private toggleForces(): void {
        this.stage.showForces = !this.stage.showForces;
        byId("forces").setAttribute("aria-pressed", String(this.stage.showForces));
    }

    private showDrive(): void {
        const button = byId("drive");
        button.setAttribute("aria-pressed", String(this.drive.on));
        (button.querySelector("span") as HTMLElement).textContent = this.drive.on ? "Driving" : "Drive";
        if (this.health) this.showHint(this.health);
    }

    // ---- light and dark

    private initTheme(): void {
        const kept = localStorage.getItem("skidpad.theme");
        const system = matchMedia("(prefers-color-scheme: light)");
        const wanted = (): "light" | "dark" => (system.matches ? "light" : "dark");
        this.setTheme(kept === "light" || kept === "dark" ? kept : wanted(), false);
        system.addEventListener("change", () => {
            if (!localStorage.getItem("skidpad.theme")) this.setTheme(wanted(), false);
        });
    }

    private setTheme(theme: "light" | "dark", keep: boolean): void {
        this.theme = theme;
        document.documentElement.dataset.theme = theme;
        if (keep) localStorage.setItem("skidpad.theme", theme);
        this.stage.setTheme(theme);
        this.charts.themed(theme);
        this.deadlines.themed();
        this.listSurfaces();
    }

    // ---- what tests and curious people ask in the browser's console: skidpad.stats(), skidpad.hold()

    // Holds the page at a time of the run, as for a picture; nothing is drawn in 3D until then.
    // Infinity lets it go on.
    hold(time_s: number): void {
        this.hold_s = time_s;
        this.held = false;
        this.stage.still = Number.isFinite(time_s);
    }

    stats(): {
        fps: number; script_ms: number; script_p95_ms: number; frames: number; records: number; dropped: number; car: readonly number[];
        charts: number; chartTime_s: number; chartRecords: number; chartSpan_s: number; latency_p50_ms: number; latency_p95_ms: number; events: number; time_s: number; held: boolean;
    } {
        const n = Math.min(this.frames, this.frameTimes.length);
        const frame = this.frameTimes.subarray(0, n).reduce((a, b) => a + b, 0) / Math.max(1, n);
        const scripts = Float32Array.from(this.scriptTimes.subarray(0, n)).sort();
        return {
            fps: frame > 0 ? 1000 / frame : 0, script_ms: scripts.reduce((a, b) => a + b, 0) / Math.max(1, n),
            script_p95_ms: scripts[Math.floor(0.95 * n)] ?? 0, frames: this.frames, records: this.records, dropped: this.dropped, car: this.stage.carPosition,
            charts: this.charts.drawn, chartTime_s: this.chartRing.newestTime, chartRecords: this.chartRing.held,
            chartSpan_s: this.chartRing.newestTime - this.chartRing.timeOf(this.chartRing.oldest),
            latency_p50_ms: this.latency.percentile(0.5) * 1000, latency_p95_ms: this.latency.percentile(0.95) * 1000,
            events: this.bench.eventTotal, time_s: this.viewRing.newestTime, held: this.held,
        };
    }
}

const app = new App();
Object.assign(globalThis, { skidpad: { stats: () => app.stats(), hold: (time_s: number) => app.hold(time_s) } });
addEventListener("error", (event) => toast(`The page made a mistake: ${event.message}`, true));
