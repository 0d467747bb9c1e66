// Small helpers for building elements. Text always goes through textContent, so nothing from outside is ever read as HTML.

type Child = Node | string | null | undefined | false;
type Attrs = Record<string, string | number | boolean | null | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attrs: Attrs = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  setAttrs(el, attrs);
  append(el, children);
  return el;
}

const svgNS = "http://www.w3.org/2000/svg";

export function s<K extends keyof SVGElementTagNameMap>(tag: K, attrs: Attrs = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const el = document.createElementNS(svgNS, tag);
  setAttrs(el, attrs);
  append(el, children);
  return el;
}

function setAttrs(el: Element, attrs: Attrs): void {
  for (const [name, value] of Object.entries(attrs)) {
    if (value === null || value === undefined || value === false) continue;
    el.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(el: Element, children: Child[]): void {
  for (const c of children) if (c !== null && c !== undefined && c !== false) el.append(c);
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const el = document.getElementById(id);
  if (!el) throw new Error(`the page lacks the element #${id}`);
  return el as T;
}

// setText writes only what differs, so that a screen reader and the layout are not disturbed for nothing.
export function setText(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text;
}

export function setAttr(el: Element, name: string, value: string | null): void {
  if (value === null) el.removeAttribute(name);
  else if (el.getAttribute(name) !== value) el.setAttribute(name, value);
}

export function press(el: Element, on: boolean): void {
  setAttr(el, "aria-pressed", String(on));
}

// announce tells a screen reader what others see.
export function announce(text: string, cls = "vh"): void {
  const el = byId("announce");
  setText(el, text);
  el.className = cls;
}

// tell says to everybody what nothing else on the page shows, such as why nothing happens. The words stay for a while.
export function tell(text: string): void {
  announce(text, "busy-note");
  window.setTimeout(() => byId("announce").textContent === text && announce(text), 5000);
}

// withButton puts a button that looks like a link behind the text of a note.
export function withButton(note: HTMLElement, text: string, run: () => void, mark: string): HTMLElement {
  const b = h("button", { type: "button", class: "link", [mark]: true }, text);
  b.addEventListener("click", run);
  note.append(b);
  return note;
}

// later uses a part of the page when it has been loaded. A name is that of what a user asked for, who is told where it cannot be loaded; what nobody asked for is left out.
export function later<T>(part: Promise<T>, use: (own: T) => unknown, name = ""): void {
  void part.then(use, () => name && tell(`${name} could not be loaded; is the server still running?`));
}

// part returns a way to a part of the page that is loaded and made when it is first asked for. Where it cannot be loaded that fails, and is tried anew the next time.
export function part<M, T, A extends unknown[]>(name: string, load: () => Promise<M>, make: (own: M, ...args: A) => T): (...args: A) => Promise<T> {
  let made: Promise<T> | null = null;
  return (...args) => (made ??= load().then((own) => make(own, ...args), () => {
    made = null;
    throw new Error(`${name} could not be loaded; is the server still running?`);
  }));
}

// perFrame runs fn at most once for each frame, however often it is asked for.
const hiddenFrame = 250;

export function perFrame(fn: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    const run = (): void => {
      if (!asked) return;
      asked = false;
      fn();
    };
    requestAnimationFrame(run);
    // A page in the background has no frames, and its title tells how far the run is.
    if (document.hidden) setTimeout(run, hiddenFrame);
  };
}
