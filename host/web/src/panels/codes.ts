// The unit's trouble codes: how many, as the unit says by itself; which, when somebody asks. To ask
// puts a tester's frames on the bench's bus, so the page does it only while the list is open.

import { Attribute, byId, make, Text } from "../dom";
import type { CodeInfo, Command, Reply } from "../protocol";

export interface Code {
    code: string;
    status: string;
}

// "C0035-31 status 0xAF, C0040-87 status 0x28, and 3 more" of the target; null: it is no such list.
export function parseCodes(text: string): { codes: Code[]; more: number } | null {
    if (text === "no trouble code") return { codes: [], more: 0 };
    const codes: Code[] = [];
    for (const part of text.split(", ")) {
        const more = /^and (\d+) more$/.exec(part);
        if (more) return { codes, more: Number(more[1]) };
        const one = /^([PCBU][0-9A-F]{4}-[0-9A-F]{2}) status 0x([0-9A-F]{2})$/.exec(part);
        if (!one) return null;
        codes.push({ code: one[1], status: statusWords(parseInt(one[2], 16)) });
    }
    return { codes, more: 0 };
}

// The status byte of ISO 14229, as far as it matters to who drives.
export function statusWords(status: number): string {
    const now = status & 0x01 ? "present" : status & 0x08 ? "stored" : status & 0x04 ? "pending" : "passed";
    return status & 0x80 ? `${now}, lamp` : now;
}

export class Codes {
    private names = new Map<string, string>();
    private hasUnit = true;
    private count = 0;
    private open = false;
    private asked = false;
    private readonly text = new Text(byId("trouble"));
    private readonly on = new Attribute(byId("trouble"), "data-on");

    constructor(private readonly send: (command: Command) => Promise<Reply>) {
        byId("trouble").addEventListener("click", () => {
            this.unfold(!this.open);
            if (this.open) void this.read();
        });
    }

    private unfold(open: boolean): void {
        this.open = open;
        byId("trouble").setAttribute("aria-expanded", String(open));
        byId("codes").hidden = !open;
    }

    describe(codes: CodeInfo[], hasUnit: boolean): void {
        this.hasUnit = hasUnit;
        this.names = new Map(codes.map((c) => [c.code, c.name]));
        byId("codes").replaceChildren();
        this.unfold(false);
    }

    update(count: number): void {
        const now = count > 0 ? count : 0;
        this.text.set(now > 0 ? now.toFixed(0) : this.hasUnit ? "none" : "–");
        this.on.set(now > 0 ? "1" : "0");
        if (now !== this.count && this.open) void this.read();
        this.count = now;
    }

    private async read(): Promise<void> {
        if (this.asked) return;
        this.asked = true;
        const count = this.count;
        const reply = await this.send({ command: "codes" });
        this.asked = false;
        if (this.open && this.count !== count) return this.read(); // it changed meanwhile
        const found = reply.ok ? parseCodes(reply.text) : null;
        if (!found) this.show([make("li", { class: "none" }, reply.text)]);
        else if (found.codes.length === 0) this.show([make("li", { class: "none" }, "The unit remembers no trouble.")]);
        else {
            const rows = found.codes.map((c) => make("li", {}, make("b", {}, c.code), make("span", {}, this.names.get(c.code) ?? ""), make("small", {}, c.status)));
            this.show(found.more > 0 ? [...rows, make("li", { class: "none" }, `and ${found.more} more`)] : rows);
        }
    }

    private show(rows: HTMLElement[]): void {
        byId("codes").replaceChildren(...rows);
    }
}
