// The events of a run as lines. A bus that flaps, or a tick that is late again and again, would push
// everything else out of sight: such events share a line for as long as they go on. The log and the
// recording have each of them.

import type { BenchEvent } from "../protocol";
import { microseconds } from "../units";

const KEPT = 300;
const QUIET_S = 5; // after so long without one, the next is a line of its own
const REPEAT = new Set(["link", "missed", "skipped", "dropped", "provoked", "switch"]); // never what people did
const MORE = / \+(\d+)$/; // "chassis: frames lost +3"

export interface EventLine {
    kind: string;
    text: string; // without its count
    more: number; // sum of those counts; 0: it has none
    phase: string;
    late_ns: number; // the worst
    count: number;
    first_s: number;
    last_s: number;
}

export function words(line: EventLine): string {
    if (line.text) return line.more > 0 ? `${line.text} +${line.more}` : line.text;
    const late = line.late_ns > 0 ? `late by ${line.count > 1 ? "up to " : ""}${microseconds(line.late_ns)}` : "";
    return [line.phase, late].filter(Boolean).join(", ");
}

export class EventLines {
    private readonly lines = new Set<EventLine>(); // in the order of their last events
    private readonly open = new Map<string, EventLine>();
    private readonly seen = new Set<string>(); // kinds
    total = 0; // events
    begun = 0; // lines

    add(e: BenchEvent): void {
        const more = REPEAT.has(e.kind) ? Number(MORE.exec(e.text)?.[1] ?? 0) : 0;
        const text = more > 0 ? e.text.replace(MORE, "") : e.text;
        const key = [e.kind, text, text ? "" : e.phase].join("|");
        const last = REPEAT.has(e.kind) ? this.open.get(key) : undefined;
        this.total++;
        this.seen.add(e.kind);
        if (last && e.time_s >= last.last_s && e.time_s - last.last_s <= QUIET_S) {
            last.count++;
            last.more += more;
            last.late_ns = Math.max(last.late_ns, e.late_ns);
            last.last_s = e.time_s;
            this.lines.delete(last);
            this.lines.add(last); // the newest again
            return;
        }
        const line = { kind: e.kind, text, more, phase: e.phase, late_ns: e.late_ns, count: 1, first_s: e.time_s, last_s: e.time_s };
        this.begun++;
        this.lines.add(line);
        this.open.set(key, line);
        if (this.lines.size > KEPT) this.forgetOldest();
    }

    private forgetOldest(): void {
        const [oldest] = this.lines;
        this.lines.delete(oldest);
        for (const [key, line] of this.open) if (line === oldest) this.open.delete(key);
    }

    // Kinds that there have been, by name.
    kinds(): string[] {
        return [...this.seen].sort();
    }

    // The newest lines first; of one kind, or of all.
    newest(most: number, kind = ""): EventLine[] {
        return [...this.lines].filter((line) => kind === "" || line.kind === kind).slice(-most).reverse();
    }

    clear(): void {
        this.lines.clear();
        this.open.clear();
        this.seen.clear();
        this.total = this.begun = 0;
    }
}
