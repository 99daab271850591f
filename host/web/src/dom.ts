// Small helpers for the page's elements.

export function byId<T extends Element = HTMLElement>(id: string): T {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no element #${id}`);
    return element as unknown as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Record<string, string> = {},
    ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

// Text of an element that changes often: the document is touched only if the text changed.
export class Text {
    private shown = "";
    constructor(private readonly element: Element) {}
    set(text: string): void {
        if (text === this.shown) return;
        this.shown = text;
        this.element.textContent = text;
    }
}

export class Attribute {
    private shown = "";
    constructor(
        private readonly element: Element,
        private readonly name: string,
    ) {}
    set(value: string): void {
        if (value === this.shown) return;
        this.shown = value;
        this.element.setAttribute(this.name, value);
    }
}

// A property of an element's style; the object model is used, which strict policies allow.
export class Style {
    private shown = "";
    constructor(
        private readonly element: HTMLElement | SVGElement,
        private readonly name: string,
    ) {}
    set(value: string): void {
        if (value === this.shown) return;
        this.shown = value;
        this.element.style.setProperty(this.name, value);
    }
}

// Buttons of which one is chosen: arrow keys move, as everywhere.
export function choice(group: HTMLElement, mark: "aria-checked" | "aria-selected", chosen: (button: HTMLButtonElement) => void): (button: HTMLButtonElement) => void {
    const buttons = (): HTMLButtonElement[] => [...group.querySelectorAll("button")];
    const choose = (button: HTMLButtonElement): void => {
        for (const b of buttons()) {
            b.setAttribute(mark, String(b === button));
            b.tabIndex = b === button ? 0 : -1;
        }
        chosen(button);
    };
    group.addEventListener("click", (event) => {
        const button = (event.target as Element).closest("button");
        if (button) choose(button);
    });
    group.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const all = buttons();
        const at = all.indexOf(document.activeElement as HTMLButtonElement);
        const next = all[(at + step + all.length) % all.length];
        next.focus();
        choose(next);
    });
    return choose;
}

export function toast(text: string, bad = false): void {
    const box = byId("toasts");
    const note = make("p", { class: bad ? "toast bad" : "toast" }, text);
    box.append(note);
    while (box.children.length > 4) box.firstElementChild?.remove();
    setTimeout(() => note.remove(), bad ? 7000 : 3500);
}
