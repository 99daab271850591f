// Which moment of the run a frame shows. Records arrive in bursts; a car drawn from the newest one
// would stutter. The page draws a little in the past instead, on a clock that runs evenly.

const DELAY_S = 0.02; // behind the newest data; bursts come at least 50 times a second
const SNAP_S = 0.25; // a jump of the run's clock larger than this is followed at once
const DECAY = 0.02; // how fast the estimate follows a run that is slower than the wall clock

export class Playback {
    // time of the run - time of the page, for the records that came with the least delay
    private offset_s = NaN;
    private last_s = NaN;
    private shown_s = NaN;

    restart(): void {
        this.offset_s = NaN;
        this.shown_s = NaN;
    }

    arrived(time_s: number, now_s: number): void {
        const offset = time_s - now_s;
        if (!Number.isFinite(this.offset_s) || Math.abs(offset - this.offset_s) > SNAP_S) {
            this.offset_s = offset;
            this.shown_s = NaN;
        } else if (offset > this.offset_s) this.offset_s = offset;
        else {
            const passed = Math.min(Math.max(now_s - this.last_s, 0), 0.1);
            this.offset_s = Math.max(offset, this.offset_s - DECAY * passed);
        }
        this.last_s = now_s;
    }

    // Never goes back, except when the run did.
    time(now_s: number): number {
        const t = now_s + this.offset_s - DELAY_S;
        this.shown_s = this.shown_s > t ? this.shown_s : t;
        return this.shown_s;
    }
}
