// A table of numbers before and after that is sorted by a click on a head.

import { h, setText } from "../widgets/dom";
import { change, type Measure } from "../store/measures";

export interface Line {
  key: string;
  name: string;
  measure: Measure;
  // A number is null where there is nothing to count, such as before a function was added.
  before: number | null;
  after: number | null;
  // own is the same of the entry function alone; absent where that has no such numbers.
  own?: [before: number, after: number];
}

type By = "name" | "before" | "after" | "delta" | "own";
export type Column = [By, string];

export class SortedTable {
  readonly host: HTMLElement;
  private readonly body = h("tbody");
  private readonly title = h("caption");
  private readonly heads = new Map<By, HTMLElement>();
  private lines: Line[] = [];
  private current = "";
  private limit = Infinity;
  private down = true;

  // by is the order at first; empty keeps that of the lines.
  constructor(id: string, caption: string, columns: Column[], private by: By | "", private readonly first: (line: Line) => HTMLElement) {
    this.caption(caption);
    const row = h("tr");
    for (const [by, name] of columns) {
      const b = h("button", { type: "button", class: "sort" }, name);
      b.addEventListener("click", () => this.sort(by));
      const head = h("th", { scope: "col", class: by === "name" ? "" : "num" }, b);
      this.heads.set(by, head);
      row.append(head);
    }
    this.host = h("div", { class: "metrics-table", id }, h("table", {}, this.title, h("thead", {}, row), this.body));
  }

  caption(text: string): void {
    setText(this.title, text);
  }

  // show writes lines, at most limit of them; the one called current is marked.
  show(lines: Line[], current: string, limit = Infinity): void {
    this.lines = lines;
    this.current = current;
    this.limit = limit;
    this.draw();
  }

  private sort(by: By): void {
    // A second click turns the order round.
    this.down = this.by === by ? !this.down : by !== "name";
    this.by = by;
    this.draw();
  }

  private draw(): void {
    this.host.hidden = this.lines.length === 0;
    for (const [by, head] of this.heads) head.setAttribute("aria-sort", by !== this.by ? "none" : this.down ? "descending" : "ascending");
    const value = (x: Line): number => {
      if (this.by === "delta") return Math.abs((x.after ?? 0) - (x.before ?? 0));
      if (this.by === "own") return x.own ? Math.abs(x.own[1] - x.own[0]) : -1;
      return (this.by === "before" ? x.before : x.after) ?? -1;
    };
    const sign = this.down ? -1 : 1;
    const order = [...this.lines];
    if (this.by === "name") order.sort((a, b) => sign * a.name.localeCompare(b.name, "en", { numeric: true }));
    else if (this.by !== "") order.sort((a, b) => sign * (value(a) - value(b)));
    this.body.replaceChildren(...order.slice(0, this.limit).map((x) => this.row(x)));
  }

  private row(x: Line): HTMLElement {
    const print = (n: number | null): string => (n === null ? "–" : x.measure.print(n));
    const exact = (n: number | null): string | null => (n !== null && print(n) !== String(n) ? n.toLocaleString("en") : null);
    const [a, b] = [x.before ?? 0, x.after ?? 0];
    return h(
      "tr", { class: `${a !== b ? "differs" : ""}${x.key === this.current ? " current" : ""}`, "data-key": x.key },
      h("th", { scope: "row" }, this.first(x)),
      h("td", { class: "num", title: exact(x.before) }, print(x.before)),
      h("td", { class: "num", title: exact(x.after) }, print(x.after)),
      h("td", { class: `num ${b > a ? "more" : b < a ? "less" : ""}`, title: a === b ? null : exact(b - a) },
        change(x.measure, a, b), a === b ? "" : h("span", { "aria-hidden": "true" }, b > a ? " ▲" : " ▼")),
      this.heads.has("own") && h("td", { class: `num in-entry${x.own && x.own[0] !== x.own[1] ? " differs" : ""}` }, x.own?.some((n) => n > 0) ? both(x.measure, x.own) : "\u00a0"),
    );
  }
}

// both writes a number before and after, once where it is the same.
function both(m: Measure, [before, after]: [number, number]): string {
  return before === after ? m.print(after) : `${m.print(before)} → ${m.print(after)}`;
}
