// Missed deadlines, the histogram of latencies, the worst ticks.

import { Attribute, byId, make, Text } from "../dom";
import type { BenchEvent, Deadlines } from "../protocol";
import { count, microseconds } from "../units";

const WORST = 5;
const DECADES = ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"];
const MISSES = new Set(["missed", "skipped"]);

export class DeadlinePanel {
    private readonly texts = Object.fromEntries(
        ["period", "ticks", "missed", "skipped", "in-row", "switches", "max-wake", "max-response"].map((id) => [id, new Text(byId(id))]),
    );
    private readonly missedBad = new Attribute(byId("missed-box"), "data-bad");
    private readonly switchesBad = new Attribute(byId("switches-box"), "data-bad");
    private readonly canvas = byId<HTMLCanvasElement>("histogram");
    private readonly pen = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    private worst: BenchEvent[] = [];
    private latest: Deadlines | null = null;
    private dirty = false;
    private worstDirty = true;

    constructor() {
        new ResizeObserver(() => (this.dirty = true)).observe(this.canvas);
    }

    restart(): void {
        this.worst = [];
        this.worstDirty = true;
    }

    status(d: Deadlines): void {
        // A run that began anew counts from the start.
        if (this.latest && d.ticks < this.latest.ticks) this.restart();
        if (this.worst.length === 0 && d.missed !== this.latest?.missed) this.worstDirty = true;
        this.latest = d;
        this.dirty = true;
        const t = this.texts;
        t.period.set(microseconds(d.period_ns));
        t.ticks.set(count(d.ticks));
        t.missed.set(count(d.missed));
        t.skipped.set(count(d.skipped));
        t["in-row"].set(count(d.in_row));
        t.switches.set(count(d.switches));
        t["max-wake"].set(d.ticks > 0 ? microseconds(d.max_wake_ns) : "–");
        t["max-response"].set(d.ticks > 0 ? microseconds(d.max_response_ns) : "–");
        this.missedBad.set(d.missed > 0 ? "1" : "0");
        this.switchesBad.set(d.switches > 0 ? "1" : "0");
    }

    event(e: BenchEvent): void {
        if (!MISSES.has(e.kind) || !(e.late_ns > 0)) return;
        this.worst.push(e);
        this.worst.sort((a, b) => b.late_ns - a.late_ns);
        this.worst.length = Math.min(this.worst.length, WORST);
        this.worstDirty = true;
    }

    // Called once per frame; draws only what changed.
    draw(): void {
        if (this.worstDirty) this.drawWorst();
        if (this.dirty && this.latest) this.drawHistogram(this.latest);
        this.dirty = false;
    }

    themed(): void {
        this.dirty = true;
    }

    private drawWorst(): void {
        this.worstDirty = false;
        const rows = this.worst.map((e) =>
            make(
                "tr", {},
                make("td", {}, `${e.time_s.toFixed(3)} s`), make("td", {}, count(e.tick)), make("td", { class: "late" }, microseconds(e.late_ns)),
                make("td", {}, e.phase || "–"),
            ),
        );
        if (rows.length === 0) {
            const missed = this.latest?.missed ?? NaN;
            const text = missed > 0 ? "None since this page was opened." : missed === 0 ? "No deadline was missed." : "–";
            rows.push(make("tr", { class: "none" }, make("td", { colspan: "4" }, text)));
        }
        byId("worst").replaceChildren(...rows);
    }

    private drawHistogram(d: Deadlines): void {
        const scale = devicePixelRatio;
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        if (width === 0) return;
        if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
            this.canvas.width = Math.round(width * scale);
            this.canvas.height = Math.round(height * scale);
        }
        const pen = this.pen;
        const style = getComputedStyle(this.canvas);
        const colour = (name: string): string => style.getPropertyValue(name).trim();
        pen.setTransform(scale, 0, 0, scale, 0, 0);
        pen.clearRect(0, 0, width, height);
        const n = Math.min(d.histogram_ns.length, d.wake.length, d.response.length);
        if (n === 0) return;
        const plot = { left: 30, right: 8, top: 8, bottom: 18 };
        const w = width - plot.left - plot.right;
        const h = height - plot.top - plot.bottom;
        // Both axes are logarithmic: one late tick in a million must show.
        const low = Math.log10(1000);
        const end = Math.log10(Math.max(2 * d.period_ns, 1.3 * d.max_response_ns));
        const x = (ns: number): number => plot.left + (w * (Math.log10(Math.max(ns, 1000)) - low)) / (end - low);
        let most = 10;
        for (let k = 0; k < n; k++) most = Math.max(most, d.wake[k], d.response[k]);
        const decades = Math.ceil(Math.log10(most));
        const y = (c: number): number => plot.top + h * (1 - Math.log10(c * 1.6 + 1) / Math.log10(1.6 * 10 ** decades + 1));
        pen.font = `500 10.5px ${style.fontFamily}`;
        pen.textBaseline = "middle";
        pen.lineWidth = 1;
        for (let k = 0; k <= decades; k += decades > 4 ? 2 : 1) {
            const at = Math.round(y(10 ** k)) + 0.5;
            pen.strokeStyle = colour("--line");
            pen.beginPath();
            pen.moveTo(plot.left, at);
            pen.lineTo(width - plot.right, at);
            pen.stroke();
            pen.fillStyle = colour("--muted");
            pen.textAlign = "right";
            pen.fillText(k < 3 ? String(10 ** k) : k < 6 ? `${10 ** (k - 3)}k` : `${10 ** (k - 6)}M`, plot.left - 5, at);
        }
        pen.textAlign = "center";
        for (let k = 3; k <= end; k++) {
            const half = pen.measureText(DECADES[k - 3] ?? "").width / 2;
            pen.fillText(DECADES[k - 3] ?? "", Math.min(x(10 ** k), width - half), height - 7);
        }
        this.bars(d.histogram_ns, d.response, n, x, y, plot.top + h, width - plot.right, colour("--response"));
        this.bars(d.histogram_ns, d.wake, n, x, y, plot.top + h, width - plot.right, colour("--wake"));
        const at = Math.round(x(d.period_ns)) + 0.5;
        pen.strokeStyle = colour("--danger");
        pen.setLineDash([4, 3]);
        pen.beginPath();
        pen.moveTo(at, plot.top - 4);
        pen.lineTo(at, plot.top + h);
        pen.stroke();
        pen.setLineDash([]);
        pen.fillStyle = colour("--danger");
        pen.textAlign = "right";
        pen.fillText("deadline", at - 5, plot.top + 4);
    }

    private bars(bounds: readonly number[], counts: readonly number[], n: number, x: (ns: number) => number, y: (c: number) => number, base: number, right: number, colour: string): void {
        const pen = this.pen;
        pen.fillStyle = colour;
        for (let k = 0; k < n; k++) {
            if (!(counts[k] > 0)) continue;
            const from = x(k > 0 ? bounds[k - 1] : 0);
            const bound = bounds[k];
            const to = Number.isFinite(bound) && bound > 0 ? Math.min(x(bound), right) : from + 6;
            const top = y(counts[k]);
            pen.fillRect(from, top, Math.max(1.5, to - from - 1), base - top);
        }
    }
}
