// The view of code: a source of rows in a windowed list, unified or side by side.

import { type Cell, cellsOf, printed, shownAt, units } from "../store/cells";
import { apart } from "../store/counts";
import { DiffSource } from "../store/diffsource";
import type { Row, Side, Source } from "../store/source";
import type { DiffRow } from "../wire";
import { h, later } from "./dom";
import { Painter } from "./paint";
import { fold, number, sign, type TextRow } from "./rowparts";
import { CodeWidth } from "./codewidth";
import { Windowed } from "./windowed";

const rowHeight = 19;

// Found is what a search found in a line.
export interface Found {
  line: number;
  side: Side;
  matches: [from: number, to: number][];
}

export class CodeView {
  readonly scroller: HTMLElement;
  private readonly list: Windowed;
  private readonly painter = new Painter();
  private source: Source | null = null;
  private words = true;
  private line = 0;
  private side: Side = "after";
  private found: Found | null = null;
  private notes = new Map<number, string>();
  private wrap = false;
  private readonly width: CodeWidth;
  private row = rowHeight;
  private hunk = -1;
  private epoch = 0;
  // markers mark cells of a row that was made.
  readonly markers: ((row: Row, el: HTMLElement, i: number) => void)[] = [];
  // decorate, where it is set, changes a row that was made and says which parts of its cells to highlight: cell, highlight, from, to.
  decorate: ((row: Row, el: HTMLElement) => [Element, string, number, number][]) | null = null;

  constructor(host: HTMLElement, private readonly on: { line(n: number): void; hunk(k: number, n: number): void; error(err: unknown): void }) {
    this.scroller = h("div", { class: "code-view", tabindex: 0, role: "table", "aria-label": "Code" });
    host.append(this.scroller);
    this.list = new Windowed(
      this.scroller,
      {
        rowHeight,
        render: (i) => this.render(i),
        remove: (i) => this.painter.forget(i),
        shown: (from, to) => this.need(from, to),
      },
      "rowgroup",
    );
    this.width = new CodeWidth(this.scroller, (row) => {
      if (this.wrap || row !== this.row) this.list.remeasure((this.row = row));
      else this.list.redraw();
    });
    later(import("./copying"), (m) => new m.Copying(this.list, () => this.source)); // the browser copies without it
    this.scroller.addEventListener("pointermove", (e) => later(import("./fullnames"), (m) => m.fullNames(this.scroller, () => this.source, e)), { once: true });
    this.scroller.addEventListener("click", (e) => void this.click(e));
  }

  // coming ends when the text that was asked for last is there.
  coming: Promise<void> | undefined;

  get shown(): Source | null {
    return this.source;
  }

  // show replaces what is on the screen. keepPlace keeps the scroll position, for the same text in another form.
  show(source: Source, label: string, keepPlace = false): void {
    this.source = source;
    this.epoch++;
    this.hunk = -1;
    if (!keepPlace) this.line = 0;
    this.scroller.classList.toggle("split", source.split);
    this.scroller.setAttribute("aria-label", label);
    this.scroller.setAttribute("aria-rowcount", String(source.total));
    if (!keepPlace) this.scroller.scrollLeft = 0;
    this.width.begin(source.digits, source.split, source instanceof DiffSource ? 2 : 1);
    this.list.reset(source.total, keepPlace ? this.scroller.scrollTop : 0);
    this.on.hunk(-1, source.hunks().length);
  }

  setWords(on: boolean): void {
    this.words = on;
    this.list.redraw();
  }

  // setWrap breaks long lines, or not.
  setWrap(on: boolean): void {
    this.wrap = on;
    this.scroller.classList.toggle("wrap", on);
    if (on) this.scroller.scrollLeft = 0;
    this.list.measure(on);
  }

  // redraw makes the rows in view again.
  redraw(): void {
    this.list.redraw();
  }

  // setNotes marks the lines of the later text that have notes.
  setNotes(notes: Map<number, string>): void {
    const same = notes.size === this.notes.size && [...notes].every(([line, text]) => this.notes.get(line) === text);
    this.notes = notes;
    if (!same) this.list.redraw();
  }

  // chose says whether a line of the later text is the chosen one.
  chose(line: number): boolean {
    return this.line === line && this.side === "after";
  }

  // goToLine brings a line into view, and chooses it unless told not to.
  async goToLine(line: number, side: Side = "after", choose = true): Promise<void> {
    const source = this.source;
    if (!source || line <= 0) return;
    const epoch = this.epoch;
    const row = await source.rowOfLine(line, side);
    if (row < 0 || epoch !== this.epoch) return;
    if (choose) {
      this.line = line;
      this.side = side;
    }
    this.grow();
    this.list.show(row, true);
    if (choose) this.list.redraw();
  }

  // light highlights columns of a line, from 1 in bytes, as they are printed; null ends that.
  light(found: Found | null): void {
    if (!found && !this.found) return;
    this.found = found;
    this.list.redraw();
  }

  // moveHunk goes to the next (1) or previous (-1) run of changes.
  moveHunk(step: 1 | -1): void {
    const hunks = this.source?.hunks() ?? [];
    if (hunks.length === 0) return;
    const top = this.list.window().first;
    let k = this.hunk + step;
    if (this.hunk < 0 || Math.abs((hunks[this.hunk]?.row ?? 0) - top) > 60) {
      // The reader has scrolled away: go on from what is in view.
      const after = hunks.findIndex((x) => x.row > top + (step > 0 ? 3 : 2));
      k = step > 0 ? after : (after < 0 ? hunks.length : after) - 1;
      if (this.hunk < 0 && step > 0 && top === 0) k = 0;
    }
    k = Math.max(0, Math.min(hunks.length - 1, k < 0 && step > 0 ? hunks.length - 1 : k));
    this.hunk = k;
    this.list.show(hunks[k]!.row, true);
    this.on.hunk(k, hunks.length);
  }

  // grow makes room for the rows that an opened fold added; those before row from are as they were.
  private grow(from = 0): void {
    this.scroller.setAttribute("aria-rowcount", String(this.source?.total ?? 0));
    this.list.reset(this.source?.total ?? 0, undefined, from);
  }

  private need(from: number, to: number): void {
    const source = this.source;
    if (!source) return;
    const epoch = this.epoch;
    source
      .load(from, to)
      .then((came) => {
        if (came && epoch === this.epoch) this.list.redrawWhere((_, el) => el.classList.contains("is-loading"));
      })
      .catch((err: unknown) => {
        if (epoch === this.epoch) this.on.error(err);
      });
  }

  private render(i: number): HTMLElement {
    const row = this.source?.get(i);
    const el = h("div", { class: `code-row is-${row?.kind ?? "loading"}`, role: "row", "aria-rowindex": i + 1 });
    if (!row) {
      el.append(h("span", { class: "tx", role: "cell", "aria-busy": "true" }));
      return el;
    }
    if (row.kind === "head") el.append(h("span", { class: "code-head", role: "cell" }, row.title));
    else if (row.kind === "fold" && row.fold) el.append(fold(i, row.fold));
    else if (this.source?.split) this.renderSplit(i, el, row);
    else this.renderUnified(i, el, row);
    if (this.line && row[this.side] === this.line) el.classList.add("at-line");
    for (const mark of this.markers) mark(row, el, i);
    for (const [cell, ...range] of this.decorate?.(row, el) ?? []) this.painter.mark(i, cell, ...range);
    return el;
  }

  private renderUnified(i: number, el: HTMLElement, row: TextRow): void {
    const diff = this.source instanceof DiffSource;
    const mark = row.kind === "add" ? "+" : row.kind === "del" ? "−" : "";
    const marked = this.mark(el, row);
    if (diff && !this.width.narrow) el.append(number(row.before, ""));
    const shown = this.width.narrow ? (row.after ?? row.before) : row.after;
    el.append(number(shown, marked ? sign(row) : mark, row.after !== undefined, "", this.noteOn(row.after)));
    const [cell] = cellsOf(row, false);
    el.append(...this.cell(i, cell ?? null, marked ? "word-mark" : row.kind === "add" ? "word-add" : "word-del"));
  }

  private renderSplit(i: number, el: HTMLElement, row: TextRow): void {
    const marked = this.mark(el, row);
    const [left, right] = cellsOf(row, true);
    const half = (side: "left" | "right", cell: Cell | null, n: number | undefined): HTMLElement => {
      const changed = row.kind === "mod" || row.kind === (side === "left" ? "del" : "add");
      const kind = side === "left" ? "del" : "add";
      const mark = !cell ? "" : marked ? sign(row) : !changed ? "" : side === "left" ? "−" : "+";
      return h("span", { class: `half${!cell ? " none" : changed ? ` ${kind}` : ""}`, role: "presentation" },
        side === "left" ? number(cell ? n : undefined, mark, false, "left") : number(cell ? n : undefined, mark, true, "right", this.noteOn(row.after)),
        ...this.cell(i, cell, marked ? "word-mark" : `word-${kind}`));
    };
    el.append(half("left", left ?? null, row.before), half("right", right ?? null, row.after));
  }

  // mark tells whether a row is shown as renamed or moved only.
  private mark(el: HTMLElement, row: TextRow): boolean {
    if (!row.mark || !apart()) return false;
    el.classList.add("marked", `is-${row.mark}`);
    return true;
  }

  // goToOther goes from the current line, or else the first in view, to the other place of one that moved. It reports false where none did.
  async goToOther(): Promise<boolean> {
    const { first, last } = this.list.window();
    const moved: DiffRow[] = [];
    for (let i = first; i < last; i++) {
      const row = this.source?.get(i);
      if (row && row.kind !== "head" && row.mark === "moved" && row.other) moved.push(row);
    }
    const row = moved.find((x) => x[this.side] === this.line) ?? moved[0];
    if (row) await this.goToLine(row.other!, row.kind === "del" ? "after" : "before");
    return row !== undefined;
  }

  private noteOn(line: number | undefined): string {
    return (line && this.notes.get(line)) || "";
  }

  // cell makes the elements of a line: its text, and where there is room the type of what it binds.
  private cell(i: number, cell: Cell | null, word: string): HTMLElement[] {
    const tx = h("span", { class: "tx", role: "cell" });
    if (!cell) return [tx];
    const words = this.words ? word : "";
    const columns = this.painter.text(i, tx, cell.spans, words);
    if (this.wrap) hang(tx, indent(cell));
    else this.width.widen(columns);
    this.lightIn(i, tx, cell);
    const type = cell.compact?.type;
    const length = type?.reduce((n, span) => n + span[1].length, 0) ?? 0;
    if (this.width.holds(columns)) {
      if (!type) return [tx];
      if (this.width.holdsType(columns, length)) {
        tx.classList.add("typed");
        const ty = h("span", { class: "ty", role: "cell" });
        this.painter.text(i, ty, type, words);
        return [tx, ty];
      }
    } else {
      tx.classList.add("long");
      tx.style.setProperty("--length", String(columns));
    }
    if (type) tx.classList.add("untyped");
    return [tx];
  }

  private lightIn(i: number, tx: HTMLElement, cell: Cell): void {
    const { found } = this;
    if (!found || cell.line !== found.line || cell.side !== found.side) return;
    const line = printed(cell);
    for (const [from, to] of found.matches) {
      const [start, end] = shownAt(cell, units(line, from - 1), units(line, to - 1));
      this.painter.mark(i, tx, "found", start, end);
    }
  }

  private async click(e: MouseEvent): Promise<void> {
    const target = e.target as HTMLElement;
    const button = target.closest<HTMLElement>("[data-fold]");
    if (button && this.source instanceof DiffSource) {
      const source = this.source;
      const row = Number(button.dataset.fold);
      const epoch = this.epoch;
      try {
        const n = await source.open(row);
        if (n > 0 && epoch === this.epoch) this.grow(row);
        this.scroller.focus({ preventScroll: true });
      } catch (err) {
        this.on.error(err);
      }
      return;
    }
    const other = target.closest<HTMLElement>("[data-other]");
    if (other) return void (await this.goToLine(Number(other.dataset.other), other.dataset.side as Side));
    const ln = target.closest<HTMLElement>("[data-line]");
    if (!ln) return;
    this.line = Number(ln.dataset.line);
    this.side = "after";
    this.list.redraw();
    this.on.line(this.line);
  }
}

// plainCode makes a view of code of which nothing is asked but to show a text.
export function plainCode(host: HTMLElement): CodeView {
  const nothing = (): undefined => undefined;
  return new CodeView(host, { line: nothing, hunk: nothing, error: nothing });
}

// hang sets a line off by its indentation. A line must not be broken behind that: what follows may be longer than what is left.
function hang(tx: HTMLElement, blanks: number): void {
  tx.style.setProperty("--in", String(Math.min(blanks, 16)));
  if (tx.firstChild instanceof Text) tx.firstChild.replaceData(0, blanks, "\u00a0".repeat(blanks));
}

// indent is the number of blanks that a line begins with.
function indent(cell: Cell): number {
  const text = cell.spans[0]?.[1] ?? "";
  return text.length - text.trimStart().length;
}
