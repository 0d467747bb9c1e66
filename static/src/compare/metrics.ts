// The metrics of two runs beside each other: all of them after the chosen step, and one over all steps.

import { keep, setting } from "../store/prefs";
import { change, type Measure, measureOf, measures } from "../store/measures";
import { h, press } from "../widgets/dom";
import type { ComparedStep, Metrics, RunComparison } from "../wire";
import { nameOf } from "./rows";

// Pair are the metrics of both runs after a row; null where a run has measured nothing so far.
type Pair = [Metrics | null, Metrics | null];

// after lists the metrics of both runs after each row: a step that changed nothing leaves those before it.
export function after(c: Pick<RunComparison, "rows">): Pair[] {
  let now: Pair = [null, null];
  return c.rows.map((r) => (now = [metricsOf(r.a) ?? now[0], metricsOf(r.b) ?? now[1]]));
}

function metricsOf(s: ComparedStep | undefined): Metrics | undefined {
  return s?.metrics;
}

// differing lists the rows after which a measure is not the same in both runs, or another than after the row before.
export function differing(pairs: Pair[], m: Measure): number[] {
  const of = (p: Pair | undefined, i: 0 | 1): number | null => (p?.[i] ? m.of(p[i]!) : null);
  return pairs.flatMap((p, row) => {
    const [a, b] = [of(p, 0), of(p, 1)];
    return a !== b && (a !== of(pairs[row - 1], 0) || b !== of(pairs[row - 1], 1)) ? [row] : [];
  });
}

// drawMetrics fills the panel; go is called with the row that the reader chooses.
export function drawMetrics(host: HTMLElement, c: RunComparison, row: number, go: (row: number) => void): void {
  const pairs = after(c);
  const at = pairs[row] ?? [null, null];
  const chosen = measureOf(setting("metric") ?? "ops");
  const pick = (m: Measure): HTMLElement => {
    const b = h("button", { type: "button", class: "link", "data-metric": m.key }, m.name);
    press(b, m.key === chosen.key);
    b.addEventListener("click", () => {
      keep("metric", m.key);
      drawMetrics(host, c, row, go);
      host.querySelector<HTMLElement>(`[data-metric="${m.key}"]`)?.focus();
    });
    return b;
  };
  const rows = differing(pairs, chosen);
  const step = (n: number): HTMLElement => {
    const b = h("button", { type: "button", class: "link", "aria-current": n === row ? "true" : null }, nameOf(c.rows[n]!));
    b.addEventListener("click", () => go(n));
    return b;
  };
  host.replaceChildren(
    table(`After ${nameOf(c.rows[row]!)}`, "Metric", measures.map((m) => line(pick(m), m, at))),
    table(`${chosen.name} where they differ`, "Pass", rows.map((n) => line(step(n), chosen, pairs[n]!))),
    ...(rows.length === 0 ? [h("p", { class: "legend" }, `Both runs have the same number of ${chosen.name.toLowerCase()} after every pass.`)] : []),
  );
}

function table(caption: string, first: string, lines: HTMLElement[]): HTMLElement {
  return h("table", { class: "table compared-metrics", hidden: lines.length === 0 },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, first), ...["#1", "#2", "Difference"].map((t) => h("th", { scope: "col", class: "num" }, t)))),
    h("tbody", {}, ...lines));
}

function line(first: HTMLElement, m: Measure, [x, y]: Pair): HTMLElement {
  const [a, b] = [x ? m.of(x) : null, y ? m.of(y) : null];
  const print = (n: number | null): string => (n === null ? "–" : m.print(n));
  return h("tr", { class: a === b ? "" : "differs" }, h("th", { scope: "row" }, first),
    h("td", { class: "num" }, print(a)), h("td", { class: "num" }, print(b)), h("td", { class: "num" }, a !== null && b !== null ? change(m, a, b) : ""));
}
