// The metrics of the selected pass: the module before and after it, the functions, and one metric over the whole pipeline.

import "../shared";
import { h, press, setText } from "../widgets/dom";
import { plural } from "../store/format";
import { measureOf, measures, type Measure, ofOperator } from "../store/measures";
import { Chart } from "./chart";
import { type Column, type Line, SortedTable } from "./table";
import type { RunModel, Step } from "../store/model";
import { keep, setting } from "../store/prefs";
import type { FunctionMetrics, Metrics, WireFunction } from "../wire";

export interface MetricsListener {
  select(step: Step): void;
  openFunction(name: string): void;
}

// shown is how many functions are listed at once.
const shown = 500;

const columns: Column[] = [["name", "Metric"], ["before", "Before"], ["after", "After"], ["delta", "Change"]];
// entry is the function that is called from outside: what a pass moves into others is in the module still, and gone from it.
const entry = "main";

export class MetricsView {
  private measure = measureOf(setting("metric") ?? "ops");
  private readonly chart: Chart;
  private readonly chartTitle = h("h3", { id: "metrics-chart-title" });
  private readonly note = h("p", { class: "quiet metrics-note" });
  private readonly module: SortedTable;
  private readonly functions: SortedTable;
  private readonly functionsNote = h("p", { class: "quiet" });
  private drawn = "";
  private model: RunModel | null = null;
  private step: Step | null = null;

  constructor(host: HTMLElement, on: MetricsListener) {
    this.chart = new Chart({ select: (step) => on.select(step) });
    this.module = new SortedTable("module-metrics", "Metrics of the module", [...columns, ["own", `In ${entry}`]], "", (line) => this.pick(line));
    this.functions = new SortedTable("function-metrics", "", [["name", "Function"], ...columns.slice(1)], "delta", (line) => {
      const name = h("button", { type: "button", class: "link mono metric-fn" }, line.name);
      name.addEventListener("click", () => on.openFunction(line.key));
      return name;
    });
    host.replaceChildren(
      h("div", { class: "metrics-body", tabindex: 0, role: "region", "aria-label": "Metrics" },
        h("section", { class: "metrics-chart", "aria-labelledby": "metrics-chart-title" }, this.chartTitle, this.chart.host), this.note,
        h("div", { class: "metrics-tables" }, this.module.host, h("div", { class: "metrics-functions" }, this.functions.host, this.functionsNote))),
    );
  }

  // show draws what changed since it was drawn.
  show(model: RunModel, step: Step | null, fn: string): void {
    const key = [model.id, model.version, step?.path, fn, this.measure.key].join(" ");
    if (key === this.drawn) return;
    this.drawn = key;
    this.model = model;
    this.step = step;
    const [before, after] = sides(model, step);
    setText(this.note, step ? say(step) : "No pass is selected: this is the module as imported.");
    this.module.show(lines(before, after, this.entries(before === after)), this.measure.key);
    this.drawFunctions(before === after);
    setText(this.chartTitle, `${this.measure.name} over the pipeline`);
    this.chart.show(model, step, this.measure);
  }

  // entries are the entry function before and after the step; null where either has no metrics.
  private entries(same: boolean): [FunctionMetrics, FunctionMetrics] | null {
    const of = (list: WireFunction[]): FunctionMetrics | undefined => list.find((f) => f.name === entry)?.metrics;
    const after = this.model && of(this.model.functionsAt(this.step));
    const before = same || !this.step ? after : this.model && of(this.model.functionsBefore(this.step));
    return before && after ? [before, after] : null;
  }

  // pick makes the button that chooses a metric for the chart and the functions.
  private pick(line: Line): HTMLElement {
    const b = h("button", { type: "button", class: `link metric-pick${line.key.startsWith("op:") ? " mono" : ""}`, "data-metric": line.key }, line.name);
    press(b, line.key === this.measure.key);
    b.addEventListener("click", () => {
      this.measure = measureOf(line.key);
      keep("metric", line.key);
      if (this.model) this.show(this.model, this.step, "");
      this.module.host.querySelector<HTMLElement>(`[data-metric="${CSS.escape(line.key)}"]`)?.focus();
    });
    return b;
  }

  private drawFunctions(same: boolean): void {
    const { measure: m, model, step } = this;
    this.functions.caption(`${m.name} by function`);
    if (m.whole || !model) {
      this.functions.show([], "");
      return setText(this.functionsNote, `${m.name} are counted for the module as a whole; choose another metric for its functions.`);
    }
    const after = model.functionsAt(step);
    const before = same || !step ? after : model.functionsBefore(step);
    if (![...before, ...after].some((f) => f.metrics)) {
      this.functions.show([], "");
      return setText(this.functionsNote, "The server that made this run did not measure functions.");
    }
    const was = new Map(before.map((f) => [f.name, f]));
    const is = new Map(after.map((f) => [f.name, f]));
    const all: Line[] = [...new Set([...was.keys(), ...is.keys()])].map((name) => {
      const [a, b] = [was.get(name), is.get(name)];
      return { key: name, name, measure: m, before: a ? m.of(a.metrics ?? {}) : null, after: b ? m.of(b.metrics ?? {}) : null };
    });
    const some = all.filter((x) => x.before || x.after || x.before === null || x.after === null);
    this.functions.show(some, "", shown);
    const zero = all.length - some.length;
    const rest = [some.length > shown ? `The first ${shown} of ${plural(some.length, "function")} in this order.` : "", zero > 0 ? `${plural(zero, "more function")} with none.` : ""];
    setText(this.functionsNote, rest.join(" ").trim());
  }
}

// sides returns the metrics before and after a step; both are the same object where it changed nothing.
function sides(model: RunModel, step: Step | null): [Metrics | null, Metrics | null] {
  const first = model.started?.metrics ?? null;
  if (!step || step === model.imported) return [first, first];
  const before = step.before ?? latest(model, step);
  return [before, step.finished?.metrics ?? before];
}

// latest are the metrics of the module when a step without any had its turn.
function latest(model: RunModel, step: Step): Metrics | null {
  let found = model.started?.metrics ?? null;
  for (const lane of model.lanes) if (lane.step && step.seq >= 0 && lane.step.seq < step.seq) found = lane.metrics;
  return found;
}

function lines(before: Metrics | null, after: Metrics | null, own: [FunctionMetrics, FunctionMetrics] | null): Line[] {
  const ops = [...new Set([...Object.keys(before?.ops ?? {}), ...Object.keys(after?.ops ?? {})])].sort();
  return [...measures, ...ops.map((op): Measure => ofOperator(op))].map((m) => ({
    key: m.key, name: m.name, measure: m, before: before && m.of(before), after: after && m.of(after),
    ...(own && !m.whole ? { own: [m.of(own[0]), m.of(own[1])] as [number, number] } : {}),
  }));
}

function say(step: Step): string {
  switch (step.status) {
    case "waiting": return `${step.name} is waiting for its turn.`;
    case "running": return `${step.name} is running.`;
    case "skipped": return `${step.name} did not run: the module is unchanged.`;
    case "failed": return `${step.name} failed: the module is unchanged.`;
    case "same": return step.seq > 0 && !step.finished ? "The module as imported." : `${step.name} changed nothing.`;
    default: return "";
  }
}
