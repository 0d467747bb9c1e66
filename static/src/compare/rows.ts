// The steps of both runs as a list: equal ones at the start folded, the functions that differ below the chosen one.

import { plural, time } from "../store/format";
import { delta } from "../widgets/delta";
import { h } from "../widgets/dom";
import { Windowed } from "../widgets/windowed";
import type { ComparedFunction, ComparedRow, ComparedStep, RunComparison } from "../wire";

const rowHeight = 24;
// folded is how many equal rows at the start make a fold.
const folded = 3;

type Item = { kind: "fold"; count: number } | { kind: "row"; row: number } | { kind: "fn"; fn: ComparedFunction };

// nameOf names a row by its steps.
export function nameOf(r: ComparedRow): string {
  const s = r.a ?? r.b;
  if (s?.path === "import") return "Imported module";
  if (s?.path === "code") return "Generated code";
  return s?.name ?? "";
}

export class Rows {
  private readonly list: Windowed;
  private items: Item[] = [];
  private comparison: RunComparison | null = null;
  private row = -1;
  private fn = "";
  private open = false;

  constructor(private readonly host: HTMLElement, private readonly on: { row(n: number): void; fn(name: string): void }) {
    this.list = new Windowed(host, { rowHeight, render: (i) => this.render(i) });
    host.addEventListener("click", (e) => this.click(e));
    host.addEventListener("keydown", (e) => {
      if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
      this.move(e.key === "ArrowDown" ? 1 : -1);
      e.preventDefault();
      e.stopPropagation();
    });
  }

  // show brings the list up to date: the chosen row with the functions that differ after it.
  show(c: RunComparison, row: number, functions: ComparedFunction[], fn: string): void {
    const moved = row !== this.row || c !== this.comparison;
    this.comparison = c;
    this.row = row;
    this.fn = fn;
    const same = this.open ? 0 : (c.first < 0 ? c.rows.length : c.first);
    const from = same >= folded && row >= same ? same : 0;
    this.items = from > 0 ? [{ kind: "fold", count: from }] : [];
    for (let i = from; i < c.rows.length; i++) {
      this.items.push({ kind: "row", row: i });
      if (i === row) for (const f of functions) this.items.push({ kind: "fn", fn: f });
    }
    this.list.reset(this.items.length);
    const at = this.items.findIndex((x) => x.kind === "row" && x.row === row);
    if (moved && at >= 0) this.list.show(at);
    this.host.setAttribute("aria-activedescendant", at >= 0 ? `row-${row}` : "");
  }

  // move chooses the next (1) or previous (-1) row that is no sequence.
  move(dir: 1 | -1): void {
    const rows = this.comparison?.rows ?? [];
    let to = this.row + dir;
    while (rows[to] && sequence(rows[to]!)) to += dir;
    if (rows[to]) this.on.row(to);
  }

  private click(e: MouseEvent): void {
    const el = (e.target as Element).closest<HTMLElement>("[data-item]");
    const item = el && this.items[Number(el.dataset.item)];
    if (!item) return;
    if (item.kind === "fn") return this.on.fn(item.fn.name);
    if (item.kind === "row") return this.on.row(item.row);
    this.open = true;
    this.on.row(this.row);
  }

  private render(i: number): HTMLElement {
    const item = this.items[i]!;
    switch (item.kind) {
      case "fold":
        return h("div", { class: "pair-fold", role: "option", "aria-selected": "false", "data-item": i }, `${plural(item.count, "step")} with the same result in both`);
      case "fn":
        return h("div", { class: "pair-fn", role: "option", "aria-selected": "false", "aria-current": item.fn.name === this.fn ? "true" : null, "data-item": i },
          h("span", { class: "pair-name" }, item.fn.name), h("span", { class: "pair-note" }, !item.fn.a ? "only in #2" : !item.fn.b ? "only in #1" : ""));
      case "row":
        return this.pair(i, item.row);
    }
  }

  private pair(i: number, row: number): HTMLElement {
    const r = this.comparison!.rows[row]!;
    const step = (r.a ?? r.b)!;
    const el = h("div", {
      class: "pair", role: "option", id: `row-${row}`, "data-item": i, "aria-selected": String(row === this.row),
    }, h("span", { class: "pair-name" }, nameOf(r)), ...side(r.a), h("span", { class: "pair-sign", title: r.differ > 0 ? `${plural(r.differ, "function")} differ after this step` : "" },
      r.differ > 0 ? h("span", {}, "≠", h("span", { class: "vh" }, ` ${plural(r.differ, "function")} differ`)) : ""), ...side(r.b));
    el.classList.toggle("is-sequence", sequence(r));
    el.classList.toggle("is-same", r.differ === 0);
    el.dataset.depth = String(Math.min(step.depth ?? 0, 6));
    return el;
  }
}

function sequence(r: ComparedRow): boolean {
  return (r.a ?? r.b)?.sequence === true;
}

// side shows what a step did and how long it took, or that it did not run.
function side(s: ComparedStep | undefined): HTMLElement[] {
  const changed = (s?.added ?? 0) + (s?.removed ?? 0) > 0;
  const note = !s ? "none" : s.status === "skipped" ? "off" : s.status === "failed" ? "failed" : s.total ? time(s.total) : "";
  return [
    h("span", { class: "pair-blocks" }, changed ? delta({ added: s!.added ?? 0, removed: s!.removed ?? 0 }) : ""),
    h("span", { class: "pair-time num", title: s?.text ?? "" }, note),
  ];
}
