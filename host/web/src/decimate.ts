// Thousands of records to a few points per pixel, without losing a peak.

import type { SignalRing } from "./ring";

// Points of a chart: for each bucket of time two points, so that its lowest and its highest value
// are both drawn, in the order in which they came.
export class Decimated {
    readonly x: Float64Array;
    readonly y: Float64Array[];
    points = 0;
    low: number[] = [];
    high: number[] = [];

    constructor(
        readonly series: number,
        readonly buckets: number,
    ) {
        this.x = new Float64Array(2 * buckets + 2);
        this.y = Array.from({ length: series }, () => new Float64Array(2 * buckets + 2));
        this.low = new Array<number>(series).fill(NaN);
        this.high = new Array<number>(series).fill(NaN);
    }

    // Fills x and y with the records of ring between from_s and to_s. Buckets lie at multiples of
    // their width, so that a curve that moves past does not shimmer. columns[i] is undefined where
    // the signal is not recorded; scale[i] converts to the unit of the screen.
    fill(
        ring: SignalRing,
        columns: readonly (Float32Array | undefined)[],
        scale: readonly number[],
        from_s: number,
        to_s: number,
    ): void {
        this.points = 0;
        this.low.fill(NaN);
        this.high.fill(NaN);
        const width = (to_s - from_s) / this.buckets;
        if (!(width > 0)) return;
        const first = Math.floor(from_s / width);
        let record = ring.find(first * width);
        const end = ring.total;
        const last = first + this.buckets;
        for (let bucket = first; bucket <= last && record < end; bucket++) {
            const stop_s = (bucket + 1) * width;
            const begin = record;
            while (record < end && ring.timeOf(record) < stop_s) record++;
            if (record === begin) continue;
            this.bucket(ring, columns, scale, begin, record, bucket * width, width);
        }
    }

    private bucket(
        ring: SignalRing,
        columns: readonly (Float32Array | undefined)[],
        scale: readonly number[],
        begin: number,
        end: number,
        start_s: number,
        width_s: number,
    ): void {
        const p = this.points;
        const single = end - begin === 1;
        // A lone record keeps its own time: curves of slow signals stay where they belong.
        this.x[p] = single ? ring.timeOf(begin) : start_s + 0.25 * width_s;
        if (!single) this.x[p + 1] = start_s + 0.75 * width_s;
        for (let s = 0; s < this.series; s++) {
            const column = columns[s];
            const y = this.y[s];
            if (!column) {
                y[p] = NaN;
                if (!single) y[p + 1] = NaN;
                continue;
            }
            let low = Infinity;
            let high = -Infinity;
            let lowAt = begin;
            let highAt = begin;
            for (let r = begin; r < end; r++) {
                const v = column[ring.at(r)];
                if (v < low) {
                    low = v;
                    lowAt = r;
                }
                if (v > high) {
                    high = v;
                    highAt = r;
                }
            }
            if (low > high) {
                y[p] = NaN;
                if (!single) y[p + 1] = NaN;
                continue;
            }
            const k = scale[s];
            if (single) y[p] = low * k;
            else {
                y[p] = (lowAt <= highAt ? low : high) * k;
                y[p + 1] = (lowAt <= highAt ? high : low) * k;
            }
            const a = Math.min(low * k, high * k);
            const b = Math.max(low * k, high * k);
            if (!(this.low[s] <= a)) this.low[s] = a;
            if (!(this.high[s] >= b)) this.high[s] = b;
        }
        this.points = p + (single ? 1 : 2);
    }
}
