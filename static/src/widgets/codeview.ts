// The view of code: a source of rows in a windowed list, unified or side by side.

import { apart } from "../store/counts";
import { h } from "./dom";
import { Painter } from "./paint";
import { DiffSource } from "../store/diffsource";
import type { Row, Side, Source } from "../store/source";
import type { DiffRow, Span } from "../wire";
import { Windowed } from "./windowed";

const rowHeight = 20;

export class CodeView {
  readonly scroller: HTMLElement;
  private readonly list: Windowed;
  private readonly painter = new Painter();
  private source: Source | null = null;
  private words = true;
  private line = 0;
  private side: Side = "after";
  private notes = new Map<number, string>();
  private columns = 0;
  private hunk = -1;
  private epoch = 0;
  // marker, where it is set, marks cells of a row that was made.
  marker: ((row: Row, el: HTMLElement) => void) | null = null;
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
    this.scroller.addEventListener("scroll", () => this.follow(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.scroller);
    this.scroller.addEventListener("click", (e) => void this.click(e));
  }

  get shown(): Source | null {
    return this.source;
  }

  // show replaces what is on the screen. keepPlace keeps the scroll position, for the same text in another form.
  show(source: Source, label: string, keepPlace = false): void {
    this.source = source;
    this.epoch++;
    this.hunk = -1;
    this.line = 0;
    this.columns = 0;
    this.scroller.classList.toggle("split", source.split);
    this.scroller.style.setProperty("--digits", String(source.digits));
    this.scroller.setAttribute("aria-label", label);
    this.scroller.setAttribute("aria-rowcount", String(source.total));
    if (!keepPlace) this.scroller.scrollLeft = 0;
    this.measure();
    this.list.reset(source.total, keepPlace ? this.scroller.scrollTop : 0);
    this.on.hunk(-1, source.hunks().length);
  }

  setWords(on: boolean): void {
    this.words = on;
    this.list.redraw();
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

  async goToLine(line: number, side: Side = "after"): Promise<void> {
    const source = this.source;
    if (!source || line <= 0) return;
    const epoch = this.epoch;
    const row = await source.rowOfLine(line, side);
    if (row < 0 || epoch !== this.epoch) return;
    this.line = line;
    this.side = side;
    this.grow();
    this.list.show(row, true);
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

  private grow(): void {
    this.scroller.setAttribute("aria-rowcount", String(this.source?.total ?? 0));
    this.list.reset(this.source?.total ?? 0);
  }

  private need(from: number, to: number): void {
    const source = this.source;
    if (!source) return;
    const epoch = this.epoch;
    source
      .load(from, to)
      .then((came) => {
        if (came && epoch === this.epoch) this.list.redraw(from, to);
      })
      .catch((err: unknown) => {
        if (epoch === this.epoch) this.on.error(err);
      });
  }

  // measure tells the style sheet the width of the view: in the side-by-side form every row is as wide as it.
  private measure(): void {
    this.scroller.style.setProperty("--vw", `${this.scroller.clientWidth}px`);
    this.widen(0);
  }

  private follow(): void {
    if (this.source?.split) this.scroller.style.setProperty("--sx", `${this.scroller.scrollLeft}px`);
  }

  // widen makes the rows wide enough for a line of n columns.
  private widen(n: number): void {
    if (n && n <= this.columns) return;
    this.columns = Math.max(this.columns, n);
    this.scroller.style.setProperty("--columns", String(this.columns + 2));
  }

  private render(i: number): HTMLElement {
    const row = this.source?.get(i);
    const el = h("div", { class: `code-row is-${row?.kind ?? "loading"}`, role: "row", "aria-rowindex": i + 1 });
    if (!row) {
      el.append(h("span", { class: "tx", role: "cell", "aria-busy": "true" }));
      return el;
    }
    if (row.kind === "head") el.append(h("span", { class: "code-head", role: "cell" }, row.title));
    else if (row.kind === "fold") el.append(fold(i, row.fold?.count ?? 0));
    else if (this.source?.split) this.renderSplit(i, el, row);
    else this.renderUnified(i, el, row);
    if (this.line && row[this.side] === this.line) el.classList.add("at-line");
    this.marker?.(row, el);
    for (const [cell, ...range] of this.decorate?.(row, el) ?? []) this.painter.mark(i, cell, ...range);
    return el;
  }

  private renderUnified(i: number, el: HTMLElement, row: Exclude<Row, { kind: "head" }>): void {
    const diff = this.source instanceof DiffSource;
    const mark = row.kind === "add" ? "+" : row.kind === "del" ? "−" : "";
    const marked = this.mark(el, row);
    if (diff) el.append(number(row.before, ""));
    el.append(number(row.after, marked ? sign(row) : mark, true, "", this.noteOn(row.after)));
    el.append(this.cell(i, row.text ?? [], marked ? "word-mark" : row.kind === "add" ? "word-add" : "word-del"));
  }

  private renderSplit(i: number, el: HTMLElement, row: Exclude<Row, { kind: "head" }>): void {
    const changed = row.kind === "mod";
    const marked = this.mark(el, row);
    const left = row.kind === "add" ? null : (row.left ?? row.text ?? []);
    const right = row.kind === "del" ? null : (row.right ?? row.text ?? []);
    const leftCell = left ? this.cell(i, left, marked ? "word-mark" : "word-del") : h("span", { class: "tx", role: "cell" });
    const rightCell = right ? this.cell(i, right, marked ? "word-mark" : "word-add") : h("span", { class: "tx", role: "cell" });
    if (changed || row.kind === "del") leftCell.classList.add("del");
    if (changed || row.kind === "add") rightCell.classList.add("add");
    if (!left) leftCell.classList.add("none");
    if (!right) rightCell.classList.add("none");
    el.append(
      number(left ? row.before : undefined, !left ? "" : marked ? sign(row) : changed || row.kind === "del" ? "−" : "", false, "left"), leftCell,
      number(right ? row.after : undefined, !right ? "" : marked ? sign(row) : changed || row.kind === "add" ? "+" : "", true, "right", this.noteOn(row.after)), rightCell,
    );
  }

  // mark tells whether a row is shown as renamed or moved only.
  private mark(el: HTMLElement, row: Exclude<Row, { kind: "head" }>): boolean {
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

  private cell(i: number, spans: Span[], word: string): HTMLElement {
    const el = h("span", { class: "tx", role: "cell" });
    this.widen(this.painter.text(i, el, spans, this.words ? word : ""));
    return el;
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
        if (n > 0 && epoch === this.epoch) this.grow();
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

// sign stands for a line that is renamed or moved only; that of a moved line leads to its other place.
function sign(row: Exclude<Row, { kind: "head" }>): HTMLElement {
  if (row.mark === "renamed") return h("span", { title: "only renamed" }, h("span", { "aria-hidden": "true" }, "~"), h("span", { class: "vh" }, " renamed"));
  const side = row.kind === "del" ? "after" : "before";
  if (!row.other) return h("span", { title: "only its indentation differs" }, h("span", { "aria-hidden": "true" }, "↕"), h("span", { class: "vh" }, " moved"));
  const title = side === "after" ? `moved to line ${row.other}` : `moved from line ${row.other}`;
  return h("button", { type: "button", class: "other", tabindex: -1, title, "aria-label": title, "data-other": row.other, "data-side": side }, "↕");
}

function number(n: number | undefined, mark: string | HTMLElement, link = false, side = "", note = ""): HTMLElement {
  const sign = note ? h("span", { class: "noted-mark", "aria-hidden": "true" }, "◆") : " ";
  return h(
    "span",
    { class: `ln ${side}${note ? " noted" : ""}`, role: "cell", "data-line": link && n ? n : null, title: note || null },
    `${n ?? ""}`, sign, mark || " ", note ? h("span", { class: "vh" }, " has a note") : null,
  );
}

function fold(row: number, count: number): HTMLElement {
  const label = `${count.toLocaleString("en")} unchanged line${count === 1 ? "" : "s"}`;
  return h("span", { class: "fold-cell", role: "cell" }, h("button", { type: "button", class: "fold", "data-fold": row }, `⋯ ${label}`));
}
