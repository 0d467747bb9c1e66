// What two runs came to, in figures, with the difference.

import { big, bytes, number, time } from "../store/format";
import { h } from "../widgets/dom";
import type { ComparedFigure, ComparedOutput, RunComparison } from "../wire";

export function drawFigures(host: HTMLElement, c: RunComparison): void {
  // Whether both compute the same comes first: where there is no room for all, the rest is what has to be scrolled to.
  host.replaceChildren(
    ...(c.outputs.length > 0 ? [outputs(c.outputs)] : []),
    ...c.figures.map((f) => figure(f.name, h("span", {}, value(f, f.a), h("span", { class: "arrow" }, " → "), value(f, f.b)), change(f))),
  );
}

function outputs(all: ComparedOutput[]): HTMLElement {
  const name = all.length > 1 ? "outputs" : "output";
  if (all.every((o) => o.same)) return figure(name, "equal", "as far as recorded");
  const most = all.reduce((m, o) => Math.max(m, Number(o.max_abs)), 0);
  return figure(name, all.every((o) => o.close) ? "≈ close" : h("span", { class: "unequal" }, "≠ not equal"), most > 0 ? `by up to ${number(most)}` : "");
}

function figure(name: string, text: Node | string, note: string): HTMLElement {
  return h("div", {}, h("dt", {}, name), h("dd", {}, text, note ? h("small", {}, note) : null));
}

function value(f: ComparedFigure, n: number | undefined): string {
  if (n === undefined) return "none";
  return f.unit === "ns" ? time(n) : f.unit === "bytes" ? bytes(n) : big(n);
}

// change says how much more #2 has: "+10" of few, else "+9 %".
export function change(f: ComparedFigure): string {
  if (f.a === undefined || f.b === undefined) return "";
  const more = f.b - f.a;
  if (more === 0) return "same";
  const sign = more > 0 ? "+" : "−";
  if (f.unit === "count" && Math.abs(more) < 100) return `${sign}${Math.abs(more)}`;
  return f.a === 0 ? "" : `${sign}${percent((100 * Math.abs(more)) / f.a)} %`;
}

function percent(x: number): string {
  return x >= 10 ? x.toFixed(0) : x.toFixed(1);
}
