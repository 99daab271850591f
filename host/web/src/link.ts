// The connection to the host: token, reconnection, commands and their replies, age of the data.

import { Batch, parseMessage, SUBPROTOCOL } from "./protocol";
import type { Command, Message, Reply } from "./protocol";

const REPLY_TIMEOUT_MS = 3000;
const RETRY_MS = [250, 500, 1000, 2000, 4000];
const KEY = "skidpad.token";

// The token comes once, in the address of the start page; from there it moves into the session's
// storage, so that it is in no history, bookmark or screenshot.
export function takeToken(): string {
    const url = new URL(location.href);
    const given = url.searchParams.get("token");
    if (given !== null) {
        sessionStorage.setItem(KEY, given);
        url.searchParams.delete("token");
        history.replaceState(null, "", url.pathname + url.search + url.hash);
    }
    return sessionStorage.getItem(KEY) ?? "";
}

export interface LinkHandlers {
    message(message: Message): void;
    batch(batch: Batch, now_ms: number): void;
    connected(open: boolean): void;
}

interface Waiting {
    resolve(reply: Reply): void;
    timer: number;
}

export class Link {
    open = false;
    everOpen = false;
    tries = 0;
    // Time of the host on the page's clock: host_s + offset_s = performance.now() / 1000.
    clockOffset_s = NaN;
    private roundTrip_ms = NaN;
    private socket: WebSocket | null = null;
    private readonly batch = new Batch();
    private readonly waiting = new Map<number, Waiting>();
    private nextId = 1;

    constructor(
        private readonly token: string,
        private readonly handlers: LinkHandlers,
    ) {
        this.connect();
        setInterval(() => this.ping(), 1000);
    }

    private connect(): void {
        this.tries++;
        const scheme = location.protocol === "https:" ? "wss:" : "ws:";
        const url = `${scheme}//${location.host}/ws?token=${encodeURIComponent(this.token)}`;
        const socket = new WebSocket(url, SUBPROTOCOL);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.open = true;
            this.everOpen = true;
            this.tries = 0;
            this.handlers.connected(true);
            this.ping();
        };
        socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
        socket.onclose = () => {
            this.open = false;
            this.socket = null;
            for (const [id, w] of this.waiting) {
                clearTimeout(w.timer);
                w.resolve({ type: "reply", id, ok: false, text: "the connection was lost" });
            }
            this.waiting.clear();
            this.handlers.connected(false);
            setTimeout(() => this.connect(), RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)]);
        };
        this.socket = socket;
    }

    private receive(data: string | ArrayBuffer): void {
        const now_ms = performance.now();
        if (typeof data !== "string") {
            if (this.batch.read(data)) this.handlers.batch(this.batch, now_ms);
            return;
        }
        const message = parseMessage(data);
        if (!message) return;
        if (message.type === "reply") {
            const w = this.waiting.get(message.id);
            if (w) {
                clearTimeout(w.timer);
                this.waiting.delete(message.id);
                w.resolve(message);
            } else this.handlers.message(message);
        } else if (message.type === "pong") this.pong(message.t, message.host_s, now_ms);
        else this.handlers.message(message);
    }

    // The host answered in the middle of the round trip; the quickest of the recent ones says most.
    private pong(sent_ms: number, host_s: number, now_ms: number): void {
        const round_ms = now_ms - sent_ms;
        const offset_s = (sent_ms + round_ms / 2) / 1000 - host_s;
        if (!(round_ms > this.roundTrip_ms)) {
            this.roundTrip_ms = round_ms;
            this.clockOffset_s = offset_s;
        } else this.roundTrip_ms *= 1.05;
    }

    private ping(): void {
        this.send({ type: "ping", id: this.nextId++, t: performance.now() });
    }

    send(message: object): boolean {
        if (!this.open || !this.socket) return false;
        this.socket.send(JSON.stringify(message));
        return true;
    }

    subscribe(target: number, stream: number, signals: readonly string[], rate_hz: number): void {
        this.send({ type: "subscribe", target, stream, signals, rate_hz });
    }

    command(target: number, command: Command): Promise<Reply> {
        const id = this.nextId++;
        return new Promise((resolve) => {
            const give = (text: string) => resolve({ type: "reply", id, ok: false, text });
            if (!this.send({ type: "command", id, target, ...command })) {
                give("there is no connection to the host");
                return;
            }
            const timer = window.setTimeout(() => {
                this.waiting.delete(id);
                give("the host did not answer");
            }, REPLY_TIMEOUT_MS);
            this.waiting.set(id, { resolve, timer });
        });
    }
}
