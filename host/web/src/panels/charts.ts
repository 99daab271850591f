// Live charts of any signal: uPlot draws, the data comes decimated from one ring at full rate.
//
// Drag to zoom, wheel to zoom about the pointer, double-click for live again. A click sets cursor A,
// a click with shift cursor B; the difference is shown above.

import uPlot from "uplot";
import { byId, choice, make } from "../dom";
import { Decimated } from "../decimate";
import type { CarInfo, SignalInfo } from "../protocol";
import { SignalRing } from "../ring";
import { WHEEL_COLOURS, WHEEL_COLOURS_LIGHT } from "../stage/palette";
import { decimals, display, fixed, number, WHEELS } from "../units";
import type { Display } from "../units";

const WINDOWS_S = [2, 5, 10, 30, 60];
export const RING_RECORDS = 65536;
const KEY = "skidpad.charts";
const OTHERS = { dark: ["#f2f5f9", "#ff8a4c", "#a99bff", "#9ad255", "#ff6f6f", "#6fd6ff"], light: ["#20252d", "#d9480f", "#6046d6", "#4d7c0f", "#c92a2a", "#0a7ea4"] };
const MOST_SIGNALS = 8;
const MOST_CHARTS = 6;

interface Series {
    name: string;
    shown: Display;
    colour: string;
}

interface View {
    from_s: number;
    to_s: number;
}

const DEFAULTS: string[][] = [
    ["vx_mps", "fl_spin_radps", "fr_spin_radps", "rl_spin_radps", "rr_spin_radps"],
    ["fl_pressure_Pa", "fr_pressure_Pa", "rl_pressure_Pa", "rr_pressure_Pa"],
    ["yaw_rate_radps", "level_ay_mps2", "level_ax_mps2"],
];

function load(): string[][] {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
        if (Array.isArray(kept) && kept.length > 0 && kept.every((c) => Array.isArray(c) && c.every((n) => typeof n === "string"))) {
            return (kept as string[][]).slice(0, MOST_CHARTS);
        }
    } catch {
        // Kept by another version: start afresh.
    }
    return DEFAULTS.map((names) => [...names]);
}

// Lines with gaps where nothing was recorded; the points are few, so they are drawn as they are.
function paths(points: () => number): uPlot.Series.PathBuilder {
    return (u, index) => {
        const path = new Path2D();
        const series = u.series[index];
        const x = u.data[0] as unknown as Float64Array;
        const y = u.data[index] as unknown as Float64Array;
        const scale = series.scale as string;
        const n = points();
        let pen = false;
        for (let i = 0; i < n; i++) {
            if (Number.isNaN(y[i])) {
                pen = false;
                continue;
            }
            const px = u.valToPos(x[i], "x", true);
            const py = u.valToPos(y[i], scale, true);
            if (pen) path.lineTo(px, py);
            else path.moveTo(px, py);
            pen = true;
        }
        return { stroke: path };
    };
}

class Chart {
    readonly element: HTMLElement;
    private readonly plotBox = make("div", { class: "plot" });
    private readonly legend = make("div", { class: "chart-legend" });
    private plot: uPlot | null = null;
    private series: Series[] = [];
    private data = new Decimated(0, 1);
    private ranges = new Map<string, [number, number]>();
    private values: HTMLElement[] = [];
    private stale = true;

    constructor(
        private readonly charts: Charts,
        public names: string[],
    ) {
        const edit = make("button", { class: "mini", "aria-label": "Choose the signals of this chart", title: "Choose signals" }, "+");
        edit.addEventListener("click", () => charts.pick(this));
        const close = make("button", { class: "mini", "aria-label": "Remove this chart", title: "Remove" }, "×");
        close.addEventListener("click", () => charts.remove(this));
        this.element = make("article", { class: "chart", "aria-label": "Chart" }, make("div", { class: "chart-head" }, this.legend, edit, close), this.plotBox);
        new ResizeObserver(() => (this.stale = true)).observe(this.plotBox);
        this.plotBox.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        this.plotBox.addEventListener("click", (event) => this.click(event));
        this.plotBox.addEventListener("dblclick", () => charts.live());
    }

    rebuild(): void {
        this.stale = true;
    }

    private make(width: number, height: number): void {
        this.stale = false;
        this.plot?.destroy();
        const charts = this.charts;
        let other = 0;
        this.series = this.names.flatMap((name) => {
            const info = charts.info(name);
            if (!info) return [];
            const wheel = WHEELS.findIndex((w) => name.startsWith(`${w}_`));
            const palette = charts.theme === "dark" ? WHEEL_COLOURS : WHEEL_COLOURS_LIGHT;
            const others = OTHERS[charts.theme];
            return [{ name, shown: display(info, charts.car), colour: wheel >= 0 ? palette[wheel] : others[other++ % others.length] }];
        });
        this.data = new Decimated(this.series.length, Math.max(50, Math.floor(width * Math.min(devicePixelRatio, 2) * 0.5)));
        const units = [...new Set(this.series.map((s) => s.shown.unit))];
        const style = getComputedStyle(this.element);
        const colour = (name: string): string => style.getPropertyValue(name).trim();
        const font = `500 11px ${style.fontFamily}`;
        const axis = (scale: string, side: number, unit: string): uPlot.Axis => ({
            scale, side, space: 22, stroke: colour("--muted"), font, size: 44, gap: 4, grid: { show: side === 3, stroke: colour("--line"), width: 1 },
            ticks: { show: false }, values: (_u, splits, _axis, _space, step) => splits.map((v) => fixed(v, decimals(step))), label: unit, labelSize: 14, labelFont: font, labelGap: 0,
        });
        this.ranges.clear();
        const scales: uPlot.Scales = { x: { time: false, auto: false, range: (_u, min, max) => [min, max] } };
        for (const unit of units) scales[unit || "1"] = { auto: false, range: (_u, min, max) => [min, max] };
        const options: uPlot.Options = {
            width, height, padding: [8, units.length > 1 ? 0 : 10, 0, 0], pxAlign: 0, legend: { show: false },
            cursor: {
                sync: { key: "skidpad", setSeries: false }, points: { show: false }, focus: { prox: -1 },
                drag: { x: true, y: false, setScale: false, dist: 6 },
            },
            scales,
            axes: [
                { scale: "x", stroke: colour("--muted"), font, size: 24, gap: 3, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, values: (_u, splits) => splits.map((v) => (v < 0 ? "" : `${Number(v.toFixed(3))} s`)) },
                ...units.slice(0, 2).map((unit, k) => axis(unit || "1", k === 0 ? 3 : 1, unit)),
            ],
            series: [
                {},
                ...this.series.map((s) => ({
                    label: s.name, scale: s.shown.unit || "1", stroke: s.colour, width: 1.5, points: { show: false }, paths: paths(() => this.data.points),
                })),
            ],
            hooks: {
                setSelect: [(u) => this.select(u)],
                draw: [(u) => this.drawCursors(u)],
                setCursor: [(u) => charts.hover(u.cursor.left !== undefined && u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : NaN)],
            },
        };
        this.plot = new uPlot(options, this.arrays(), this.plotBox);
        for (const unit of units) this.plot.setScale(unit || "1", { min: 0, max: 1 }); // until there is data
        this.values = [];
        this.legend.replaceChildren(...this.legendGroups());
    }

    // Signals of the four wheels share one name and unit: "wheel speed FL 31 FR 30 ... km/h".
    private legendGroups(): HTMLElement[] {
        if (this.series.length === 0) return [make("span", { class: "none" }, "Choose signals with +")];
        const groups = new Map<string, HTMLElement>();
        this.series.forEach((s, k) => {
            const wheel = /^(FL|FR|RL|RR) (.*)$/.exec(s.shown.label);
            const name = wheel ? wheel[2] : s.shown.label;
            const key = wheel ? `${name}|${s.shown.unit}` : s.name;
            let group = groups.get(key);
            if (!group) {
                group = make("span", { class: "legend-group" }, make("span", {}, name), make("small", {}, s.shown.unit));
                groups.set(key, group);
            }
            const swatch = make("i");
            swatch.style.background = s.colour;
            const value = make("b", {}, "–");
            this.values[k] = value;
            const item = make("span", { class: "legend-item", title: `${s.name}: ${this.charts.info(s.name)?.meaning ?? ""}` }, swatch, wheel ? wheel[1] : "", value);
            group.insertBefore(item, group.lastChild);
        });
        return [...groups.values()];
    }

    private arrays(): uPlot.AlignedData {
        // uPlot looks at the lengths, so the arrays are cut; views, no copies.
        const n = this.data.points;
        return [this.data.x.subarray(0, n), ...this.data.y.map((y) => y.subarray(0, n))] as unknown as uPlot.AlignedData;
    }

    draw(ring: SignalRing, view: View): void {
        const width = this.plotBox.clientWidth;
        const height = this.plotBox.clientHeight;
        if (width < 40 || height < 40) return;
        if (this.stale) this.make(width, height);
        if (!this.plot) return;
        this.data.fill(ring, this.series.map((s) => ring.column(s.name)), this.series.map((s) => s.shown.scale), view.from_s, view.to_s);
        this.fit();
        const plot = this.plot;
        plot.batch(() => {
            plot.setData(this.arrays(), false);
            plot.setScale("x", { min: view.from_s, max: view.to_s });
            for (const [unit, [min, max]] of this.ranges) plot.setScale(unit || "1", { min, max });
        });
    }

    // Ranges of the axes: grow at once, shrink slowly, so that they do not jump about.
    private fit(): void {
        const now = new Map<string, [number, number]>();
        this.series.forEach((s, k) => {
            const low = this.data.low[k];
            const high = this.data.high[k];
            if (!(low <= high)) return;
            const range = now.get(s.shown.unit);
            now.set(s.shown.unit, range ? [Math.min(range[0], low), Math.max(range[1], high)] : [low, high]);
        });
        for (const [unit, [low, high]] of now) {
            // A constant is a line in the middle, not a magnified nothing.
            const least = Math.max(0.01, 0.03 * Math.max(Math.abs(low), Math.abs(high)));
            const pad = Math.max(0.08 * (high - low), least);
            const goal: [number, number] = [low - pad, high + pad];
            const old = this.ranges.get(unit);
            if (!old || this.charts.paused) this.ranges.set(unit, goal);
            else {
                old[0] = goal[0] < old[0] ? goal[0] : old[0] + 0.06 * (goal[0] - old[0]);
                old[1] = goal[1] > old[1] ? goal[1] : old[1] + 0.06 * (goal[1] - old[1]);
            }
        }
    }

    // Values at a time: under the pointer, or the newest.
    legendAt(ring: SignalRing, t: number): void {
        const record = Math.min(ring.find(t), ring.total - 1);
        this.series.forEach((s, k) => {
            const column = ring.column(s.name);
            const value = column && record >= ring.oldest ? column[ring.at(record)] * s.shown.scale : NaN;
            const text = number(Math.abs(value) < 5e-4 ? 0 : value, 3);
            if (this.values[k] && this.values[k].textContent !== text) this.values[k].textContent = text;
        });
    }

    private timeAt(event: MouseEvent): number {
        const over = this.plot?.over;
        if (!this.plot || !over) return NaN;
        const box = over.getBoundingClientRect();
        return this.plot.posToVal(event.clientX - box.left, "x");
    }

    private select(u: uPlot): void {
        if (u.select.width < 6) return;
        const from_s = u.posToVal(u.select.left, "x");
        const to_s = u.posToVal(u.select.left + u.select.width, "x");
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.charts.zoom(from_s, to_s);
    }

    private wheel(event: WheelEvent): void {
        if (!event.ctrlKey && !event.shiftKey && !this.charts.paused) return; // scrolls the page
        event.preventDefault();
        const at = this.timeAt(event);
        if (!Number.isFinite(at)) return;
        const { from_s, to_s } = this.charts.view;
        const k = Math.exp((event.deltaY || event.deltaX) * 0.0015);
        this.charts.zoom(at - (at - from_s) * k, at + (to_s - at) * k);
    }

    private click(event: MouseEvent): void {
        const at = this.timeAt(event);
        if (Number.isFinite(at)) this.charts.setCursor(event.shiftKey ? "b" : "a", at);
    }

    private drawCursors(u: uPlot): void {
        for (const which of ["a", "b"] as const) {
            const t = this.charts.cursors[which];
            if (!(t >= this.charts.view.from_s && t <= this.charts.view.to_s)) continue;
            const x = Math.round(u.valToPos(t, "x", true)) + 0.5;
            const pen = u.ctx;
            const style = getComputedStyle(this.element);
            pen.save();
            pen.strokeStyle = pen.fillStyle = style.getPropertyValue("--accent").trim();
            pen.lineWidth = devicePixelRatio;
            pen.beginPath();
            pen.moveTo(x, u.bbox.top);
            pen.lineTo(x, u.bbox.top + u.bbox.height);
            pen.stroke();
            pen.font = `600 ${11 * devicePixelRatio}px ${style.fontFamily}`;
            pen.fillText(which.toUpperCase(), x + 3 * devicePixelRatio, u.bbox.top + 10 * devicePixelRatio);
            pen.restore();
        }
    }
}

export class Charts {
    theme: "light" | "dark" = "dark";
    car: CarInfo | null = null;
    paused = false;
    readonly view: View = { from_s: 0, to_s: 5 };
    readonly cursors = { a: NaN, b: NaN };
    private signals = new Map<string, SignalInfo>();
    private list: SignalInfo[] = [];
    private readonly charts: Chart[];
    private seconds = 5;
    private frozen: SignalRing | null = null;
    private hover_s = NaN;
    private picked: Chart | null = null;
    private frame = 0;
    private redraw = true;
    drawn = 0;

    constructor(
        private readonly ring: () => SignalRing,
        private readonly wantedChanged: () => void,
    ) {
        this.charts = load().map((names) => new Chart(this, names));
        byId("charts").append(...this.charts.map((chart) => chart.element));
        this.buildTools();
        this.buildPicker();
    }

    private buildTools(): void {
        const box = byId("windows");
        for (const s of WINDOWS_S) {
            box.append(make("button", { role: "radio", "aria-checked": String(s === this.seconds), "data-seconds": String(s) }, `${s} s`));
        }
        choice(box, "aria-checked", (button) => {
            this.seconds = Number(button.dataset.seconds);
            this.live();
        });
        byId("pause").addEventListener("click", () => (this.paused ? this.live() : this.pause()));
        byId("chart-add").addEventListener("click", () => this.add());
    }

    info(name: string): SignalInfo | undefined {
        return this.signals.get(name);
    }

    describe(signals: SignalInfo[], car: CarInfo | null): void {
        this.list = signals;
        this.signals = new Map(signals.map((s) => [s.name, s]));
        this.car = car;
        this.view.from_s = 0;
        this.view.to_s = this.seconds;
        this.cursors.a = this.cursors.b = NaN;
        byId("cursor-readout").textContent = "";
        this.live();
        for (const chart of this.charts) chart.rebuild();
    }

    themed(theme: "light" | "dark"): void {
        this.theme = theme;
        for (const chart of this.charts) chart.rebuild();
        this.redraw = true;
    }

    // Signals that the charts show, in the order of the target's list.
    wanted(): string[] {
        const names = new Set(this.charts.flatMap((chart) => chart.names));
        return this.list.filter((s) => names.has(s.name)).map((s) => s.name);
    }

    private keep(): void {
        localStorage.setItem(KEY, JSON.stringify(this.charts.map((chart) => chart.names)));
        byId<HTMLButtonElement>("chart-add").disabled = this.charts.length >= MOST_CHARTS;
        this.wantedChanged();
        this.redraw = true;
    }

    private add(): void {
        if (this.charts.length >= MOST_CHARTS) return;
        const chart = new Chart(this, []);
        this.charts.push(chart);
        byId("charts").append(chart.element);
        this.keep();
        this.pick(chart);
    }

    remove(chart: Chart): void {
        if (this.charts.length === 1) return;
        this.charts.splice(this.charts.indexOf(chart), 1);
        chart.element.remove();
        this.keep();
    }

    pause(): void {
        if (this.paused) return;
        this.frozen = this.ring().freeze();
        this.paused = true;
        this.redraw = true;
        byId("pause").setAttribute("aria-pressed", "true");
        byId("pause").textContent = "Live";
    }

    live(): void {
        this.paused = false;
        this.frozen = null;
        byId("pause").setAttribute("aria-pressed", "false");
        byId("pause").textContent = "Pause";
    }

    zoom(from_s: number, to_s: number): void {
        if (!(to_s - from_s > 0.004)) return;
        this.pause();
        const ring = this.frozen as SignalRing;
        const oldest = ring.timeOf(ring.oldest);
        this.view.from_s = Math.max(from_s, Math.min(oldest, to_s - 0.01));
        this.view.to_s = Math.min(to_s, ring.newestTime + 1);
        this.redraw = true;
    }

    hover(t: number): void {
        this.hover_s = t;
    }

    setCursor(which: "a" | "b", t: number): void {
        this.cursors[which] = Math.abs(this.cursors[which] - t) < 0.01 * (this.view.to_s - this.view.from_s) ? NaN : t;
        const { a, b } = this.cursors;
        const text = [
            Number.isFinite(a) ? `A ${a.toFixed(3)} s` : "", Number.isFinite(b) ? `B ${b.toFixed(3)} s` : "",
            Number.isFinite(a + b) ? `Δ ${(b - a).toFixed(3)} s` : "",
        ];
        byId("cursor-readout").textContent = text.filter(Boolean).join("   ");
        this.redraw = true;
    }

    // Charts are drawn at half the frame rate, in turns, so that no frame carries them all.
    draw(now_s: number, numbers: boolean): void {
        this.frame++;
        const ring = this.frozen ?? this.ring();
        if (ring.total === 0 && this.list.length === 0) return;
        if (!this.paused) {
            const end = Number.isFinite(now_s) ? now_s : ring.newestTime;
            if (Number.isFinite(end)) {
                this.view.to_s = end;
                this.view.from_s = end - this.seconds;
            }
        }
        if (!this.paused || this.redraw) {
            this.charts.forEach((chart, k) => {
                if (!this.redraw && (k + this.frame) % 2 !== 0) return;
                chart.draw(ring, this.view);
                this.drawn++;
            });
            this.redraw = false;
        }
        if (numbers) {
            const t = Number.isFinite(this.hover_s) ? this.hover_s : this.view.to_s;
            if (ring.total > 0) for (const chart of this.charts) chart.legendAt(ring, t);
        }
    }

    // ---- choosing signals

    private buildPicker(): void {
        const dialog = byId<HTMLDialogElement>("picker");
        const search = byId<HTMLInputElement>("picker-search");
        search.addEventListener("input", () => this.listPicker());
        byId("picker-done").addEventListener("click", () => dialog.close());
        dialog.addEventListener("click", (event) => {
            if (event.target === dialog) dialog.close();
        });
        dialog.addEventListener("keydown", (event) => {
            const items = [...byId("picker-list").querySelectorAll<HTMLElement>("li[role=option]")];
            const at = items.indexOf(document.activeElement as HTMLElement);
            if (event.key === "ArrowDown") items[Math.min(at + 1, items.length - 1)]?.focus();
            else if (event.key === "ArrowUp") (at <= 0 ? search : items[at - 1]).focus();
            else if (event.key === "Enter" || (event.key === " " && at >= 0)) (at >= 0 ? items[at] : items[0])?.click();
            else if (event.key === "Escape") dialog.close(); // else the search field takes it to clear itself
            else return;
            event.preventDefault();
            event.stopPropagation();
        });
        dialog.addEventListener("close", () => (this.picked = null));
    }

    pick(chart: Chart): void {
        this.picked = chart;
        const search = byId<HTMLInputElement>("picker-search");
        search.value = "";
        this.listPicker();
        byId<HTMLDialogElement>("picker").showModal();
        search.focus();
    }

    private listPicker(): void {
        const chart = this.picked;
        if (!chart) return;
        const words = byId<HTMLInputElement>("picker-search").value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = this.list.filter((s) => {
            const text = `${s.name} ${s.unit} ${s.meaning} ${display(s, this.car).label}`.toLowerCase();
            return words.every((w) => text.includes(w));
        });
        found.sort((a, b) => Number(chart.names.includes(b.name)) - Number(chart.names.includes(a.name)));
        byId("picker-note").textContent = `${chart.names.length} of ${MOST_SIGNALS} chosen, ${found.length} found`;
        byId("picker-list").replaceChildren(
            ...found.map((s) => {
                const item = make(
                    "li", { role: "option", tabindex: "-1", "aria-selected": String(chart.names.includes(s.name)), "data-signal": s.name },
                    make("b", {}, s.name), make("span", {}, s.meaning), make("small", {}, s.unit === "1" ? "" : s.unit),
                );
                item.addEventListener("click", () => {
                    this.toggle(chart, s.name);
                    item.setAttribute("aria-selected", String(chart.names.includes(s.name)));
                    byId("picker-note").textContent = `${chart.names.length} of ${MOST_SIGNALS} chosen, ${found.length} found`;
                });
                return item;
            }),
        );
    }

    private toggle(chart: Chart, name: string): void {
        if (chart.names.includes(name)) chart.names = chart.names.filter((n) => n !== name);
        else if (chart.names.length < MOST_SIGNALS) chart.names = [...chart.names, name];
        chart.rebuild();
        this.keep();
    }
}
