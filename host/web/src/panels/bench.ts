// What a person does to the bench: scenario, faults, set-up; and what it reports: events.

import { byId, choice, make, Text, toast } from "../dom";
import type { BenchEvent, Command, Describe, FaultInfo, Reply, SetupInfo } from "../protocol";
import { DEG, number } from "../units";
import { EventLines, words } from "./events";

const EVENTS_SHOWN = 120;

// The next of 1, 2, 5 times a power of ten.
function roundStep(step: number): number {
    const power = 10 ** Math.floor(Math.log10(step));
    return power * ([1, 2, 5, 10].find((k) => k * power >= step * 0.999) ?? 10);
}

// "slalom" of "config/scenarios/slalom.yaml".
const stem = (path: string): string => path.replace(/^.*\//, "").replace(/\.yaml$/, "");

type Send = (command: Command) => Promise<Reply>;

export class Bench {
    private readonly events = new EventLines();
    private eventsDirty = true;
    private seen = 0; // lines
    private kindsShown = "";
    private active = NaN; // bits as shown
    private faults: FaultInfo[] = [];
    private readonly loadText = new Text(byId("scenario-load").firstElementChild as Element);
    private readonly faultBadge = new Text(byId("fault-count"));
    private readonly eventBadge = new Text(byId("event-count"));
    private readonly choose: (button: HTMLButtonElement) => void;

    safe = 0; // number of the safe state that is shown

    constructor(private readonly send: Send) {
        this.choose = choice(byId("bench-tabs"), "aria-selected", (button) => {
            for (const pane of document.querySelectorAll<HTMLElement>(".bench .pane")) pane.hidden = pane.id !== button.getAttribute("aria-controls");
            this.eventsDirty = true;
        });
        byId("scenario-load").addEventListener("click", () => {
            const scenario = byId<HTMLSelectElement>("scenario").value;
            if (scenario) void this.run({ command: "scenario", scenario }, `scenario ${scenario}`);
        });
        byId("start").addEventListener("click", () => void this.run({ command: "start" }, "start"));
        byId("stop").addEventListener("click", () => void this.run({ command: "stop" }, "stop"));
        byId("reset").addEventListener("click", () => void this.run({ command: "reset", safe: this.safe }, "reset"));
        byId("end").addEventListener("click", () => this.end());
        byId("take").addEventListener("click", () => void this.run({ command: "take" }, "take over"));
        byId("event-kind").addEventListener("change", () => (this.eventsDirty = true));
    }

    // To end a run needs two clicks: it cannot be taken back.
    private end(): void {
        const button = byId<HTMLButtonElement>("end");
        const label = button.querySelector("span") as HTMLElement;
        if (button.dataset.armed === "1") {
            button.dataset.armed = "0";
            label.textContent = "End the run";
            void this.run({ command: "end" }, "end");
            return;
        }
        button.dataset.armed = "1";
        label.textContent = "Really end?";
        setTimeout(() => {
            button.dataset.armed = "0";
            label.textContent = "End the run";
        }, 3000);
    }

    async run(command: Command, what: string): Promise<boolean> {
        const reply = await this.send(command);
        if (!reply.ok) toast(`${what}: ${reply.text || "refused"}`, true);
        else toast(reply.text || what);
        return reply.ok;
    }

    open(tab: string): void {
        this.choose(byId<HTMLButtonElement>(`tab-${tab}`));
    }

    // To load a scenario ends a run that drives; the button says so.
    running(drives: boolean): void {
        this.loadText.set(drives ? "End this run and load" : "Load");
    }

    describe(d: Describe): void {
        const select = byId<HTMLSelectElement>("scenario");
        const own = stem(d.run_info.scenario ?? "");
        select.replaceChildren(...d.scenarios.map((name) => make("option", { value: name }, name)));
        if (d.scenarios.includes(own)) select.value = own;
        byId("scenario-choice").hidden = d.scenarios.length === 0;
        const facts: [string, string | undefined][] = [
            ["car", d.run_info.car ?? d.car?.name], ["scenario", d.run_info.scenario_name ?? d.run_info.scenario], ["bench", d.run_info.bench], ["model", d.run_info.model],
            ["back end", d.run_info.backend ?? d.run_info.core], ["kernel", d.run_info.kernel], ["revision", d.run_info.revision], ["run", d.run],
        ];
        byId("facts").replaceChildren(
            ...facts.filter(([, value]) => value).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value as string))),
        );
        this.listFaults(d.faults);
        this.listSetup(d.setup);
    }

    private listFaults(faults: FaultInfo[]): void {
        this.faults = faults;
        this.active = NaN;
        byId("fault-count").hidden = true;
        const list = byId("faults");
        if (faults.length === 0) {
            list.replaceChildren(make("li", { class: "none" }, "The bench file defines no faults."));
            return;
        }
        list.replaceChildren(
            ...faults.map((fault) => {
                const button = make("button", { class: "switch", role: "switch", "aria-checked": String(fault.on), "data-fault": String(fault.id) }, make("i"), make("span", {}, fault.name));
                button.addEventListener("click", () => {
                    const on = button.getAttribute("aria-checked") !== "true";
                    button.dataset.waiting = "1";
                    void this.run({ command: "fault", fault: fault.id, on }, `${fault.name} ${on ? "on" : "off"}`).then(() => {
                        delete button.dataset.waiting;
                        this.active = NaN; // shown again, as the target says
                    });
                });
                return make("li", {}, button);
            }),
        );
    }

    // Bits of the signal faults_active: what the target says, not what was asked for.
    faultsActive(bits: number): void {
        if (!Number.isFinite(bits) || bits === this.active) return;
        this.active = bits;
        let on = 0;
        this.faults.forEach((fault, k) => {
            const acts = (bits >>> k) & 1;
            on += acts;
            const button = document.querySelector<HTMLElement>(`[data-fault="${fault.id}"]`);
            if (button && !button.dataset.waiting) button.setAttribute("aria-checked", String(acts === 1));
        });
        byId("fault-count").hidden = on === 0;
        this.faultBadge.set(String(on));
    }

    private listSetup(setup: SetupInfo[]): void {
        const box = byId("setup");
        if (setup.length === 0) {
            box.replaceChildren(make("p", { class: "none" }, "This run offers nothing to change while it drives."));
            return;
        }
        box.replaceChildren(...setup.map((s) => this.slider(s)));
    }

    private slider(s: SetupInfo): HTMLElement {
        // Screens show degrees; the run takes SI.
        const scale = s.unit === "rad" ? DEG : 1;
        const unit = s.unit === "rad" ? "°" : s.unit === "1" ? "" : s.unit;
        const [start, min, max] = [s.value * scale, s.min * scale, s.max * scale];
        const label = s.label.charAt(0).toUpperCase() + s.label.slice(1);
        const out = make("output", { class: "setup-value" }, number(start));
        // The start's value need not lie on the grid of round values that the slider offers.
        const step = roundStep((max - min) / 200);
        const range = make("input", { type: "range", min: String(min), max: String(max), step: "any", value: String(start), "aria-label": unit ? `${label} in ${unit}` : label });
        const chosen = (): number => {
            const raw = Number(range.value);
            return raw === start ? raw : Math.min(max, Math.max(min, Number((Math.round(raw / step) * step).toPrecision(9))));
        };
        const mark = (): void => range.style.setProperty("--share", String((Number(range.value) - min) / (max - min)));
        mark();
        let sent = start;
        let timer = 0;
        const push = (): void => {
            timer = 0;
            const value = chosen();
            if (value === sent) return;
            sent = value;
            void this.send({ command: "setup", name: s.name, value: value === start ? s.value : value / scale }).then((reply) => {
                if (!reply.ok) toast(`${label}: ${reply.text || "refused"}`, true);
            });
        };
        range.addEventListener("input", () => {
            out.textContent = number(chosen());
            mark();
            if (!timer) timer = window.setTimeout(push, 120);
        });
        const reset = make("button", { class: "mini", title: "Back to the start's value", "aria-label": `${label}: back to ${number(start)} ${unit}` }, "↺");
        reset.addEventListener("click", () => {
            range.value = String(start);
            range.dispatchEvent(new Event("input"));
        });
        return make(
            "div", { class: "setup-row" },
            make("span", { class: "setup-name" }, label), make("span", { class: "setup-number" }, out, make("small", {}, unit)), range, reset,
        );
    }

    event(e: BenchEvent): void {
        this.events.add(e);
        this.eventsDirty = true;
    }

    restart(): void {
        this.events.clear();
        this.seen = 0;
        this.eventsDirty = true;
    }

    get eventTotal(): number {
        return this.events.total;
    }

    // Which kinds can be chosen; the list is left alone while nothing about it changes.
    private listKinds(): string {
        const select = byId<HTMLSelectElement>("event-kind");
        const kinds = this.events.kinds();
        if (kinds.join() !== this.kindsShown) {
            this.kindsShown = kinds.join();
            const chosen = kinds.includes(select.value) ? select.value : "";
            select.replaceChildren(make("option", { value: "" }, "all kinds"), ...kinds.map((kind) => make("option", { value: kind }, kind)));
            select.value = chosen;
        }
        return select.value;
    }

    // At most a few times a second, however many events arrive.
    draw(): void {
        if (!this.eventsDirty) return;
        this.eventsDirty = false;
        const pane = byId("pane-events");
        if (!pane.hidden) this.seen = this.events.begun;
        const unseen = this.events.begun - this.seen;
        byId("event-count").hidden = unseen === 0;
        this.eventBadge.set(unseen > 99 ? "99+" : String(unseen));
        if (pane.hidden) return;
        const rows = this.events.newest(EVENTS_SHOWN, this.listKinds()).map((line) => {
            const what = make("span", {}, words(line));
            if (line.count > 1) what.append(" ", make("small", { class: "times" }, `${line.count} times since ${line.first_s.toFixed(3)} s`));
            return make("li", { "data-kind": line.kind.split(" ")[0] }, make("time", {}, line.last_s.toFixed(3)), make("b", {}, line.kind), what);
        });
        if (rows.length === 0) rows.push(make("li", { class: "none" }, "Nothing happened yet."));
        byId("events").replaceChildren(...rows);
    }
}
