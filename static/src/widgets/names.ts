// Names in the text that the reader can point at: with the mouse, where a name under the pointer is underlined and a click opens it,
// and with the keyboard, where the arrows go from name to name.

import type { CodeView } from "./codeview";
import { announce } from "./dom";
import type { Spot } from "./popover";
import { type Cell, cellsOf, textOf, wordsOf } from "../store/cells";
import type { Side } from "../store/source";

// Name is a name at a place of the text, in full. An operator has no name of its own: it is what its line computes.
export interface Name {
  text: string;
  line: number;
  side: Side;
  // title is that of the function, where the text shows several.
  title: string;
}

interface Found extends Name {
  row: number;
  cell: Element;
  start: number;
  end: number;
  // shown is the word as it stands in the text.
  shown: string;
}

// Pointing is told at which name the reader points or stands, and where that is; null for none.
export interface Pointing {
  offered(): boolean;
  open(name: Name, byKey: boolean): void;
  point?(name: Name | null, spot: Spot): void;
}

// Words of these classes of the highlighter are no names: keywords, strings, comments, numbers, types, constants, attributes.
const plain = ["c-k", "c-s", "c-c", "c-m", "c-l", "c-ow", "c-no", "c-dim"];
const over = "name-over";
const at = "name-at";
const lit = "name-lit";

export class Names {
  private picked: Found | null = null;
  // over is the name under the pointer.
  private over: Found | null = null;

  constructor(private readonly code: CodeView, private readonly on: Pointing) {
    const box = code.scroller;
    box.addEventListener("pointermove", (e) => this.hover(e.pointerType === "mouse" && e.buttons === 0 ? this.under(e) : null));
    box.addEventListener("pointerleave", () => this.hover(null));
    box.addEventListener("click", (e) => {
      if (e.button === 0) this.click(e.clientX, e.clientY);
    });
    box.addEventListener("keydown", (e) => this.key(e));
    box.addEventListener("blur", () => this.leave());
  }

  // click opens the name at a point of the window, if there is one.
  click(x: number, y: number): void {
    const name = getSelection()?.isCollapsed === false ? null : this.at(x, y);
    if (name) this.on.open(name, false);
  }

  // pick puts the mark on a name: of the current line where there is one, else of the first line in view.
  pick(): boolean {
    if (!this.on.offered()) return false;
    const rows = this.rows();
    const top = this.code.scroller.getBoundingClientRect().top;
    const current = rows.find((el) => el.classList.contains("at-line"));
    const inView = rows.filter((el) => el.getBoundingClientRect().top >= top - 1);
    const from = current ? rows.slice(rows.indexOf(current)) : inView;
    const first = from.map((el) => this.inRow(el)[0]).find((n) => n !== undefined);
    if (!first) return false;
    this.code.scroller.focus({ preventScroll: true });
    this.put(first);
    return true;
  }

  private rows(): HTMLElement[] {
    return [...this.code.scroller.querySelectorAll<HTMLElement>(".code-row")];
  }

  private put(name: Found): void {
    this.picked = name;
    highlight(at, [name]);
    this.light(name);
    const left = name.cell.getBoundingClientRect();
    const range = rangeOf(name)?.getBoundingClientRect();
    const box = this.code.scroller;
    const view = box.getBoundingClientRect();
    if (range && (range.left < view.left + 80 || range.right > view.left + box.clientWidth)) box.scrollLeft += range.left - Math.max(left.left, view.left) - 120;
    const spot = rangeOf(name)?.getBoundingClientRect();
    if (spot) this.on.point?.(name, spot);
    announce(`${name.shown}, line ${name.line}. Enter shows its history; arrow keys move on.`);
  }

  private leave(): void {
    if (!this.picked) return;
    this.picked = null;
    highlight(at, []);
    this.light(null);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target !== this.code.scroller) return;
    if (!this.picked) return;
    if (e.key === "Enter" || e.key === ".") this.on.open(this.picked, true);
    if (["Enter", ".", "Escape"].includes(e.key)) this.leave();
    else if (e.key === "ArrowRight" || e.key === "ArrowLeft") this.aside(e.key === "ArrowRight" ? 1 : -1);
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") this.along(e.key === "ArrowDown" ? 1 : -1);
    else return this.leave();
    e.preventDefault();
  }

  private aside(dir: 1 | -1): void {
    const now = this.picked!;
    const el = this.element(now.row);
    const all = el ? this.inRow(el) : [];
    const k = all.findIndex((n) => n.cell === now.cell && n.start === now.start);
    const next = all[k + dir];
    if (next) this.put(next);
    else this.along(dir, dir < 0);
  }

  // along goes to the next row with names, scrolling as it must.
  private along(dir: 1 | -1, last = false): void {
    const now = this.picked!;
    for (let row = now.row + dir; ; row += dir) {
      const el = this.element(row);
      if (!el) return;
      const all = this.inRow(el);
      if (all.length === 0) continue;
      const nearest = all.reduce((a, b) => (Math.abs(b.start - now.start) < Math.abs(a.start - now.start) ? b : a));
      const box = this.code.scroller;
      const above = el.getBoundingClientRect().top - box.getBoundingClientRect().top;
      if (above < 20) box.scrollTop -= 60 - above;
      else if (above > box.clientHeight - 60) box.scrollTop += above - box.clientHeight + 80;
      this.put(last ? all.at(-1)! : nearest);
      return;
    }
  }

  private element(row: number): HTMLElement | null {
    return this.code.scroller.querySelector<HTMLElement>(`.code-row[aria-rowindex="${row + 1}"]`);
  }

  private hover(name: Found | null): void {
    const now = this.over;
    if (name === now || (name && now && name.cell === now.cell && name.start === now.start)) return;
    this.over = name;
    highlight(over, name ? [name] : []);
    this.light(name ?? this.picked);
    this.code.scroller.classList.toggle("over-name", name !== null);
    const spot = name && rangeOf(name)?.getBoundingClientRect();
    this.on.point?.(spot ? name : null, spot ?? { left: 0, top: 0, bottom: 0 });
  }

  // light lights every place of a name in the rows that are there.
  private light(name: Found | null): void {
    const same = name && name.text !== "" ? this.rows().flatMap((el) => this.inRow(el)).filter((n) => n.text === name.text && n.title === name.title) : [];
    highlight(lit, same.length > 1 ? same : []);
  }

  // under returns the name under the pointer.
  private under(e: MouseEvent): Found | null {
    return e.target instanceof Element ? this.within(e.target, e.clientX, e.clientY) : null;
  }

  private at(x: number, y: number): Found | null {
    const el = document.elementFromPoint(x, y);
    return el && this.code.scroller.contains(el) ? this.within(el, x, y) : null;
  }

  private within(target: Element, x: number, y: number): Found | null {
    const cell = target.closest(".tx");
    const el = cell?.closest<HTMLElement>(".code-row");
    if (!cell || !el || !this.on.offered()) return null;
    const inside = (r: DOMRect | undefined): boolean => r !== undefined && x >= r.left && x <= r.right && y >= r.top && y <= r.bottom;
    return this.inRow(el, cell).find((n) => inside(rangeOf(n)?.getBoundingClientRect())) ?? null;
  }

  // inRow lists the names of a row, or of one cell of it.
  private inRow(el: HTMLElement, only?: Element): Found[] {
    const i = Number(el.getAttribute("aria-rowindex")) - 1;
    const source = this.code.shown;
    const row = source?.get(i);
    if (!source || !row || row.kind === "head" || row.kind === "fold") return [];
    let title = "";
    for (let k = i; k >= 0 && title === ""; k--) {
      const head = source.get(k);
      if (head?.kind === "head") title = head.title;
      else if (row.after !== undefined && k < i - row.after) break;
    }
    const cells = [...el.querySelectorAll(".tx")];
    return cellsOf(row, source.split).flatMap((shown, k): Found[] => {
      const cell = cells[k];
      if (!shown?.line || !cell?.firstChild || (only && cell !== only)) return [];
      const { side, line } = shown;
      return namesOf(shown).map((n) => ({ ...n, line, side, title, row: i, cell }));
    });
  }
}

function namesOf(cell: Cell): { text: string; shown: string; start: number; end: number }[] {
  const text = textOf(cell);
  return wordsOf(cell).flatMap(({ start, end, shown, full }) => {
    if (text[end] === "." || (text[end] === "=" && text[end + 1] !== "=") || plain.some((p) => classAt(cell, start).startsWith(p))) return [];
    // An operator is a path in a dialect, of which the compact form drops the beginning.
    const operator = full.includes(".") || /(^|[^\w.])[RTI](\.\w+)*\.$/.test(text.slice(Math.max(0, start - 12), start));
    return [{ text: operator ? "" : full, shown, start, end }];
  });
}

function classAt(cell: Cell, offset: number): string {
  let end = 0;
  for (const [cls, part] of cell.spans) {
    end += part.length;
    if (offset < end) return cls;
  }
  return "";
}

function rangeOf(n: Found): Range | null {
  const node = n.cell.firstChild;
  if (!node?.isConnected || (node.textContent?.length ?? 0) < n.end) return null;
  const range = new Range();
  range.setStart(node, n.start);
  range.setEnd(node, n.end);
  return range;
}

function highlight(name: string, places: Found[]): void {
  if (typeof Highlight === "undefined") return;
  const ranges = places.flatMap((n) => rangeOf(n) ?? []);
  if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}
