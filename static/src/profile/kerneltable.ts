// The kernels of a run, sorted by a click on a head; below them the rest of the time, and the sum.

import { big, bytes, time } from "../store/format";
import { percent, type Row, type Summary } from "../store/profile";
import { h, setAttr } from "../widgets/dom";

interface Column {
  name: string;
  // value is what the column is sorted by; the first column is sorted by name.
  value?: (r: Row) => number;
  text?: (r: Row) => string;
  bar?: "share" | "limit";
  wide?: boolean;
}

const columns: Column[] = [
  { name: "Kernel" },
  { name: "Calls", value: (r) => r.calls, text: (r) => r.calls.toLocaleString("en"), wide: true },
  { name: "Time", value: (r) => r.time, text: (r) => time(r.time) },
  { name: "Share", value: (r) => r.time, bar: "share" },
  { name: "FLOPs", value: (r) => r.flops, text: (r) => (r.partial ? "?" : "") + (r.bound ? "≤ " : "") + (r.flops > 0 ? big(r.flops) : "") + (r.byteOps > 0 ? " #" : "") + (r.special > 0 ? " *" : "") },
  { name: "GFLOP/s", value: (r) => rate(r.flops, r), text: (r) => print(rate(r.flops, r)) },
  { name: "Bytes", value: (r) => r.bytes, text: (r) => (r.bytes > 0 ? bytes(r.bytes) : ""), wide: true },
  { name: "GB/s", value: (r) => rate(r.bytes, r), text: (r) => print(rate(r.bytes, r)), wide: true },
  { name: "Of limit", value: (r) => ofLimit(r), bar: "limit" },
];

export class KernelTable {
  readonly host: HTMLElement;
  private readonly body = h("tbody");
  private readonly rest = h("tbody", { class: "between" });
  private readonly foot = h("tfoot");
  private readonly heads: HTMLElement[] = [];
  private summary: Summary | null = null;
  private by = 2;
  private down = true;

  constructor(private readonly open: (kernel: string) => void) {
    const row = h("tr");
    columns.forEach((c, i) => {
      const b = h("button", { type: "button", class: "sort" }, c.name);
      b.addEventListener("click", () => {
        this.down = this.by === i ? !this.down : i > 0;
        this.by = i;
        this.draw();
      });
      const head = h("th", { scope: "col", class: cell(c, i) }, b);
      this.heads.push(head);
      row.append(head);
    });
    this.host = h("table", { class: "kernel-table", id: "kernel-table", "aria-label": "Kernels by time" }, h("thead", {}, row), this.body, this.rest, this.foot);
  }

  show(summary: Summary): void {
    this.summary = summary;
    this.draw();
  }

  private draw(): void {
    const s = this.summary;
    if (!s) return;
    this.heads.forEach((head, i) => setAttr(head, "aria-sort", i !== this.by ? "none" : this.down ? "descending" : "ascending"));
    const { value } = columns[this.by]!;
    const sign = this.down ? -1 : 1;
    const order = [...s.kernels].sort((a, b) => sign * (value ? value(a) - value(b) : a.name.localeCompare(b.name, "en", { numeric: true })));
    const most = Math.max(1, ...s.kernels.map((k) => k.time));
    this.body.replaceChildren(...order.map((r) => this.row(r, s, most)));
    this.rest.replaceChildren(...s.rest.map((r) => this.row(r, s, most)));
    const all: Row = { name: "total", kernel: false, calls: 0, time: s.median, best: s.best, flops: s.flops, byteOps: 0, special: 0, bytes: s.bytes, ideal: 0, bound: false, partial: false };
    this.foot.replaceChildren(this.row(all, s, Infinity));
  }

  private row(r: Row, s: Summary, most: number): HTMLElement {
    const name = r.kernel ? h("button", { type: "button", class: "link mono kernel", title: `${r.name}: show its code` }, r.name) : r.name;
    if (r.kernel) (name as HTMLElement).addEventListener("click", () => this.open(r.name));
    const cells = columns.slice(1).map((c, i) => {
      const td = h("td", { class: cell(c, i + 1) });
      if (c.bar === "share") td.append(percent(r.time / s.median), bar(r.time / most, r.kernel ? "share" : "between"));
      else if (c.bar === "limit") r.ideal > 0 && td.append(`${Math.round(100 * ofLimit(r))} %`, bar(ofLimit(r), "limit"));
      else if (r.kernel || r.calls > 0 || c.name !== "Calls") td.append(c.text!(r));
      return td;
    });
    return h("tr", {}, h("th", { scope: "row" }, name), ...cells);
  }
}

function cell(c: Column, i: number): string {
  return `${i === 0 ? "name" : "num"}${c.bar ? ` with-bar ${c.bar}` : ""}${c.wide ? " wide" : ""}`;
}

// bar draws a share from 0 to 1; what is more is drawn as all.
function bar(of: number, kind: string): HTMLElement {
  const out = h("span", { class: `kernel-bar ${kind}`, "aria-hidden": "true" });
  out.style.setProperty("--v", Math.max(0, Math.min(1, of)).toFixed(4));
  return out;
}

// rate is 10^9 units per second.
function rate(n: number, r: Row): number {
  return r.time > 0 ? n / r.time : 0;
}

function print(x: number): string {
  return x === 0 ? "" : x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2);
}

function ofLimit(r: Row): number {
  return r.time > 0 ? r.ideal / r.time : 0;
}
