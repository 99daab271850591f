// The recent past of some signals, in typed arrays that are filled round and round.

import type { Batch } from "./protocol";

export class SignalRing {
    readonly names: readonly string[];
    readonly capacity: number;
    readonly time_s: Float64Array;
    readonly columns: Float32Array[];
    // Records ever appended since the last clear; record i is at index i & mask while it is held.
    total = 0;
    private readonly mask: number;
    private readonly index = new Map<string, number>();

    // capacity is rounded up to a power of two.
    constructor(names: readonly string[], capacity: number) {
        let size = 2;
        while (size < capacity) size *= 2;
        this.capacity = size;
        this.mask = size - 1;
        this.names = names;
        this.time_s = new Float64Array(size);
        this.columns = names.map(() => new Float32Array(size));
        names.forEach((name, i) => this.index.set(name, i));
    }

    clear(): void {
        this.total = 0;
    }

    get held(): number {
        return Math.min(this.total, this.capacity);
    }

    // Number of the oldest record that is held; newest is total - 1.
    get oldest(): number {
        return this.total - this.held;
    }

    column(name: string): Float32Array | undefined {
        const i = this.index.get(name);
        return i === undefined ? undefined : this.columns[i];
    }

    at(record: number): number {
        return record & this.mask;
    }

    timeOf(record: number): number {
        return this.time_s[record & this.mask];
    }

    get newestTime(): number {
        return this.total > 0 ? this.time_s[(this.total - 1) & this.mask] : NaN;
    }

    // Appends a batch. A clock that went back (a reset of the run) starts the ring anew, because
    // whoever reads it searches by time. Returns whether that happened.
    append(batch: Batch): boolean {
        const fields = Math.min(batch.fields, this.columns.length);
        let restarted = false;
        for (let r = 0; r < batch.count; r++) {
            const t = batch.time_s(r);
            if (!Number.isFinite(t)) continue;
            if (this.total > 0) {
                const last = this.time_s[(this.total - 1) & this.mask];
                if (t === last) continue;
                if (t < last) {
                    this.clear();
                    restarted = true;
                }
            }
            const at = this.total & this.mask;
            const from = batch.fieldsAt(r);
            this.time_s[at] = t;
            for (let f = 0; f < fields; f++) this.columns[f][at] = batch.f32[from + f];
            this.total++;
        }
        return restarted;
    }

    // First record held whose time is at least t; total if there is none.
    find(t: number): number {
        let low = this.oldest;
        let high = this.total;
        while (low < high) {
            const middle = Math.floor((low + high) / 2);
            if (this.time_s[middle & this.mask] < t) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    // Values of all columns at time t, linear between records, into out. Columns that hold angles
    // which wrap are taken the short way round; those that hold states are not blended.
    sample(t: number, out: Float32Array, wraps: Uint8Array, holds: Uint8Array): boolean {
        if (this.total === 0) return false;
        const next = Math.min(this.find(t), this.total - 1);
        const before = Math.max(next - 1, this.oldest);
        const a = before & this.mask;
        const b = next & this.mask;
        const span = this.time_s[b] - this.time_s[a];
        let w = span > 0 ? (t - this.time_s[a]) / span : 1;
        w = w < 0 ? 0 : w > 1 ? 1 : w;
        for (let f = 0; f < this.columns.length; f++) {
            const column = this.columns[f];
            let step = column[b] - column[a];
            if (wraps[f]) {
                if (step > Math.PI) step -= 2 * Math.PI;
                else if (step < -Math.PI) step += 2 * Math.PI;
            }
            out[f] = holds[f] ? column[w < 1 ? a : b] : column[a] + w * step;
        }
        return true;
    }

    // A copy that no longer changes, for a paused chart.
    freeze(): SignalRing {
        const copy = new SignalRing(this.names, this.capacity);
        copy.total = this.total;
        copy.time_s.set(this.time_s);
        this.columns.forEach((column, i) => copy.columns[i].set(column));
        return copy;
    }

    // Takes the past of the signals that both have, so that adding a signal to a chart keeps the
    // others' curves. What the other did not have is unknown then.
    adopt(other: SignalRing): void {
        this.total = 0;
        const from = Math.max(other.oldest, other.total - this.capacity);
        const sources = this.names.map((name) => other.column(name));
        for (let r = from; r < other.total; r++) {
            const at = this.total & this.mask;
            const source = other.at(r);
            this.time_s[at] = other.time_s[source];
            for (let f = 0; f < sources.length; f++) {
                const column = sources[f];
                this.columns[f][at] = column ? column[source] : NaN;
            }
            this.total++;
        }
    }
}
