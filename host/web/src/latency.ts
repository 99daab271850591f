// How old records are when the page gets them: the recent ones, and their 95 % value.

const KEPT = 512;

export class Latency {
    private readonly recent = new Float32Array(KEPT);
    private readonly sorted = new Float32Array(KEPT);
    private total = 0;

    clear(): void {
        this.total = 0;
    }

    add(seconds: number): void {
        if (!Number.isFinite(seconds)) return;
        this.recent[this.total++ % KEPT] = seconds;
    }

    percentile(share: number): number {
        const n = Math.min(this.total, KEPT);
        if (n === 0) return NaN;
        const part = this.sorted.subarray(0, n);
        part.set(this.recent.subarray(0, n));
        part.sort();
        return part[Math.min(n - 1, Math.floor(share * n))];
    }
}
