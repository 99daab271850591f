// Can what the page shows be trusted? The answer is shown across the whole page.

const STALE_S = 0.5;

export interface Facts {
    linkOpen: boolean;
    everOpen: boolean;
    tries: number;
    hasTarget: boolean;
    age_s: number; // since the last record of the chosen target reached this page
    hostAge_s: number; // what the host says of the last packet, carried on
    state: string; // of the target, as the host tells
    cause: string;
    begun: boolean; // there was a tick
    scenario: string;
    personDrives: boolean; // the scenario has no other driver
    refused: { who: string; why: string }[]; // senders that the host does not take for targets
}

export interface Health {
    // Word for the header and the page's border.
    state: "connecting" | "refused" | "waiting" | "running" | "safe" | "stale" | "ended";
    word: string;
    banners: { kind: "stale" | "safe" | "refused" | "sender" | "ended"; title: string; text: string }[];
    old: boolean; // values are grey
    ready: { title: string; text: string; start: boolean } | null; // nothing drives yet: what to do
}

const seconds = (s: number): string => (Number.isFinite(s) ? `${s < 10 ? s.toFixed(1) : s.toFixed(0)} s` : "a while");

export function judge(f: Facts): Health {
    if (!f.everOpen) {
        if (f.tries < 3) return { state: "connecting", word: "connecting", banners: [], old: true, ready: null };
        return {
            state: "refused", word: "refused", old: true, ready: null,
            banners: [{
                kind: "refused", title: "No connection",
                text: "The host refuses this page or does not run. Open the address that skidpad host printed: it carries the token.",
            }],
        };
    }
    const banners: Health["banners"] = [];
    // Before the first tick there are no records: the target's own word is what counts.
    const age = f.begun ? Math.max(f.age_s, f.hostAge_s) : f.hostAge_s;
    const safe = f.state === "safe";
    if (safe) {
        const cause = f.cause && f.cause !== "none" ? f.cause : "unknown cause";
        banners.push({ kind: "safe", title: "Safe state", text: `${cause}. Outputs are at their safe values until someone resets the run.` });
    }
    if (!f.linkOpen) {
        banners.push({ kind: "stale", title: "Connection lost", text: "The host does not answer. Everything below is old." });
        return { state: "stale", word: "no host", banners, old: true, ready: null };
    }
    for (const r of f.refused) banners.push({ kind: "sender", title: "Refused", text: `${r.who} ${r.why}.` });
    if (!f.hasTarget) {
        const text = "No target sends to this host. Start one in a terminal: skidpad run config/benches/cockpit.yaml --serve, or any bench whose file says telemetry: {to: …}.";
        return { state: "waiting", word: "no run", banners, old: true, ready: { title: "No run yet", text, start: false } };
    }
    if (f.state === "ended") {
        banners.push({ kind: "ended", title: "Run ended", text: "The values below are its last ones." });
        return { state: "ended", word: "ended", banners, old: true, ready: null };
    }
    if (f.state === "waiting") {
        const text = `“${f.scenario}” waits for a start.${f.personDrives ? " Then take the wheel: Drive, or G." : ""}`;
        return { state: "waiting", word: "waiting", banners, old: false, ready: { title: "Ready", text, start: true } };
    }
    if (age > STALE_S || f.state === "lost") {
        banners.push({ kind: "stale", title: "Old data", text: `Nothing came from the target for ${seconds(age)}. What you see is not the car's present state.` });
        return { state: "stale", word: "stale", banners, old: true, ready: null };
    }
    return { state: safe ? "safe" : "running", word: safe ? "safe state" : "running", banners, old: false, ready: null };
}
