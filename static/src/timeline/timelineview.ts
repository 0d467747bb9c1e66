// The timeline: where the time of the run went, with a bar for each pass, nested, to scale of time or one column for each step; below it
// lanes that show how the module grows and shrinks. It is loaded when it is opened.

import "../shared";
import { s } from "../widgets/dom";
import { time } from "../store/format";
import { type Measure, measureOf } from "../store/measures";
import type { RunModel, Step } from "../store/model";
import { phaseOf } from "../store/phases";
import { took } from "../store/took";

interface Bar {
  step: Step | null;
  name: string;
  // time is in nanoseconds, whatever the scale.
  time: number;
  depth: number;
  from: number;
  to: number;
}

// Point is the value of a lane from a time on, the end of a step.
interface Point {
  at: number;
  value: number;
}

// manyBars is from how many bars on not all of them have an element.
const manyBars = 2000;
const labelWidth = 148;
const barHeight = 18;
const laneHeight = 22;
// valueWidth is the column at the right in which each lane says its values.
const valueWidth = 150;

const lanes: Measure[] = [{ ...measureOf("ops"), name: "Graph ops" }, ...["kernels", "intermediate_bytes", "flops"].map(measureOf)];

export class TimelineView {
  private byStep = false;
  // zoom is how many times wider the chart is than the window shows.
  private zoom = 1;
  private model: RunModel | null = null;
  private selected = "";
  private drawn = "";
  // steps are those that a key leads to, in the order of the bars; values writes the numbers of the lanes at a time.
  private steps: Step[] = [];
  private values: ((at: number | null) => void) | null = null;
  private timeAt: (x: number) => number = () => 0;

  constructor(private readonly host: HTMLElement, private readonly on: { select(step: Step): void }) {
    new ResizeObserver(() => this.draw()).observe(host);
    for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-label": "Timeline: pass", "aria-orientation": "horizontal", "aria-valuemin": "0" })) host.setAttribute(name, value);
    host.addEventListener("keydown", (e) => this.key(e));
    host.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      this.zoomBy(Math.exp(-e.deltaY / 300), e.clientX - host.getBoundingClientRect().left);
    }, { passive: false });
    host.addEventListener("pointermove", (e) => this.values?.(this.timeAt(e.clientX - host.getBoundingClientRect().left + host.scrollLeft)));
    host.addEventListener("pointerleave", () => this.values?.(null));
    host.addEventListener("click", (e) => {
      const path = (e.target as Element).closest<SVGElement>("[data-step]")?.dataset.step;
      const step = path ? this.model?.steps.get(path) : undefined;
      if (step) this.on.select(step);
    });
  }

  setScale(byStep: boolean): void {
    this.byStep = byStep;
    this.draw();
  }

  // zoomBy makes the chart wider or narrower around a place, the middle unless given.
  zoomBy(factor: number, at = this.host.clientWidth / 2): void {
    const zoom = Math.max(1, Math.min(64, this.zoom * factor));
    if (zoom === this.zoom) return;
    const fixed = Math.max(0, this.host.scrollLeft + at - labelWidth) / this.zoom;
    this.zoom = zoom;
    this.draw();
    this.host.scrollLeft = fixed * zoom + labelWidth - at;
  }

  update(model: RunModel, selected: string): void {
    const key = `${model.id} ${model.version} ${selected}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.model = model;
    this.selected = selected;
    this.draw();
  }

  private draw(): void {
    const model = this.model;
    const seen = this.host.clientWidth;
    if (!model || seen < labelWidth + 60) return;
    const right = seen > 640 ? valueWidth : 12;
    const width = Math.round((seen - labelWidth - right) * this.zoom) + labelWidth + right;
    const bars = this.layout(model);
    const end = bars.reduce((most, b) => Math.max(most, b.to), 1e-9);
    const depths = 1 + bars.reduce((most, b) => Math.max(most, b.depth), 0);
    const x = (t: number): number => labelWidth + (t / end) * (width - labelWidth - right);
    const lanesTop = depths * (barHeight + 2) + 8;
    const height = lanesTop + lanes.length * laneHeight + 4;
    const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "chart-of-time", "aria-hidden": "true" });
    svg.append(s("text", { x: 10, y: 13, class: "lane-name" }, "Passes"));
    // Of very many bars that share a pixel the first is drawn.
    const drawn: number[] = [];
    for (const bar of bars) {
      if (bars.length > manyBars && x(bar.to) - (drawn[bar.depth] ?? 0) < 1 && bar.step?.path !== this.selected) continue;
      drawn[bar.depth] = x(bar.to);
      svg.append(this.bar(bar, x));
    }
    const ends = new Map(bars.map((b) => [b.step, b.to]));
    const said: ((at: number | null) => void)[] = [];
    lanes.forEach((m, k) => svg.append(...this.lane(this.points(model, m, ends), m, lanesTop + k * laneHeight, x, end, said)));
    const pointer = s("line", { y1: lanesTop, y2: height, class: "pointer", visibility: "hidden" });
    svg.append(pointer);
    this.timeAt = (px) => ((px - labelWidth) / (width - labelWidth - right)) * end;
    this.values = (at) => {
      const inside = at !== null && at >= 0 && at <= end;
      pointer.setAttribute("visibility", inside ? "visible" : "hidden");
      if (inside) for (const name of ["x1", "x2"]) pointer.setAttribute(name, x(at).toFixed(1));
      for (const say of said) say(inside ? at : null);
    };
    const now = bars.find((b) => b.step?.path === this.selected);
    if (now) {
      const mid = x(now.to);
      svg.append(s("line", { x1: mid, x2: mid, y1: 0, y2: height, class: "cursor" }));
    }
    this.host.replaceChildren(svg);
    this.steps = bars.flatMap((b) => (b.step ? [b.step] : []));
    const i = this.steps.findIndex((step) => step.path === this.selected);
    this.host.setAttribute("aria-valuemax", String(Math.max(0, this.steps.length - 1)));
    this.host.setAttribute("aria-valuenow", String(Math.max(0, i)));
    this.host.setAttribute("aria-valuetext", i < 0 ? this.describe(model) : this.words(this.steps[i]!, model, ends));
  }

  // words says in a sentence what stands at a step.
  private words(step: Step, model: RunModel, ends: Map<Step | null, number>): string {
    const at = ends.get(step) ?? 0;
    const all = lanes.map((m) => `${m.name} ${m.print(valueAt(this.points(model, m, ends), at))}`);
    return `${step.name}, ${time(step.measured.total ?? 0)}; ${all.join(", ")}`;
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || this.steps.length === 0) return;
    if (["+", "=", "-", "−"].includes(e.key)) {
      e.preventDefault();
      return this.zoomBy(e.key === "+" || e.key === "=" ? 1.5 : 1 / 1.5);
    }
    const i = this.steps.findIndex((step) => step.path === this.selected);
    const last = this.steps.length - 1;
    const to = { ArrowRight: i + 1, ArrowUp: i + 1, ArrowLeft: i - 1, ArrowDown: i - 1, Home: 0, End: last, PageDown: i + 10, PageUp: i - 10 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    this.on.select(this.steps[Math.max(0, Math.min(last, to))]!);
  }

  // layout places the bars one after the other: the import, the passes, the time in which what they left was written down, and what was
  // made of the code. It adds up the durations rather than trust the start times: steps taken from an earlier run carry that run's times.
  private layout(model: RunModel): Bar[] {
    const bars: Bar[] = [];
    const place = (step: Step, depth: number, at: number): number => {
      const bar: Bar = { step, name: step.name, time: step.measured.total ?? 0, depth, from: at, to: at };
      bars.push(bar);
      for (const child of step.children) at = place(child, depth + 1, at);
      const ended = step.status !== "waiting" && step.status !== "running" && step.status !== "skipped";
      const own = this.byStep ? (step.kind === "sequential" ? 0 : 1) : ended ? (step.measured.total ?? 0) : 0;
      bar.to = Math.max(at, bar.from + own);
      return bar.to;
    };
    const parts = new Map(model.parts());
    let at = 0;
    const part = (name: string): void => {
      const t = parts.get(name) ?? 0;
      if (t > 0 && model.finished) bars.push({ step: null, name, time: t, depth: 0, from: at, to: (at += this.byStep ? 2 : t) });
    };
    part("import");
    for (const root of model.roots) at = place(root, 0, at);
    for (const name of ["recording and waiting", "code generation", "engine", "execution"]) part(name);
    return bars.filter((b) => b.to > b.from);
  }

  private bar(bar: Bar, x: (t: number) => number): SVGElement {
    const left = x(bar.from);
    const w = Math.max(1, x(bar.to) - left - 1);
    const y = bar.depth * (barHeight + 2);
    const step = bar.step;
    const kind = step ? ` is-${step.status} phase-${phaseOf(step.name, "graph")}` : ` part${bar.name.startsWith("recording") ? " recording" : ""}`;
    const selected = step && step.path === this.selected ? " selected" : "";
    const g = s("g", { class: `bar${kind}${step?.kind === "sequential" ? " group" : ""}${step?.reused ? " reused" : ""}${selected}`, "data-step": step?.path ?? null });
    g.append(
      s("title", {}, `${bar.name}: ${step?.status === "skipped" ? step.text : step ? took(step)[step.reused ? 0 : 1] || took(step)[0] : time(bar.time)}`),
      s("rect", { x: left, y, width: w, height: barHeight, rx: Math.min(3, w / 2) }),
    );
    const room = Math.floor((w - 8) / 6.6);
    if (room >= 4) g.append(s("text", { x: left + 5, y: y + 13 }, bar.name.length > room ? `${bar.name.slice(0, room - 1)}…` : bar.name));
    return g;
  }

  // points lists the values of a lane at the ends of steps.
  private points(model: RunModel, m: Measure, ends: Map<Step | null, number>): Point[] {
    return model.lanes
      .filter((l) => l.step === null || l.step.kind !== "sequential")
      .map((l) => ({ at: l.step ? (ends.get(l.step) ?? -1) : 0, value: m.of(l.metrics) }))
      .filter((p) => p.at >= 0);
  }

  private lane(points: Point[], m: Measure, y: number, x: (t: number) => number, end: number, said: ((at: number | null) => void)[]): SVGElement[] {
    const name = s("text", { x: 10, y: y + 14, class: "lane-name" }, m.name);
    if (points.length === 0) return [name];
    const most = Math.max(...points.map((p) => p.value));
    const py = (v: number): number => y + laneHeight - 4 - (v / Math.max(1, most)) * (laneHeight - 9);
    let line = `M${x(0)} ${py(points[0]!.value)}`;
    for (const p of points) line += `H${x(p.at).toFixed(1)}V${py(p.value).toFixed(1)}`;
    line += `H${x(end).toFixed(1)}`;
    const [first, last] = [points[0]!.value, points.at(-1)!.value];
    const all = first === last ? m.print(last) : `${m.print(first)} → ${m.print(last)}`;
    const wide = this.host.clientWidth > 640;
    const value = s("text", { x: wide ? x(end) + 10 : x(end) - 4, y: y + 14, class: wide ? "lane-value" : "lane-value narrow" }, wide ? all : "");
    said.push((at) => (value.textContent = at === null ? (wide ? all : "") : m.print(valueAt(points, at))));
    return [
      name,
      s("text", { x: labelWidth - 8, y: y + 14, class: "lane-scale" }, m.print(most)),
      s(
        "g",
        { class: "lane" },
        s("title", {}, `${m.name}: ${m.print(first)} at first, ${m.print(most)} at most, ${m.print(last)} now`),
        s("path", { d: `${line}V${y + laneHeight - 4}H${x(0)}Z`, class: "lane-area" }),
        s("path", { d: line, class: "lane-line" }),
      ),
      value,
    ];
  }

  private describe(model: RunModel): string {
    const { done, total } = model.tally();
    const slow = model
      .all()
      .filter((step) => step.kind !== "sequential" && step.measured.total)
      .sort((a, b) => b.measured.total! - a.measured.total!)
      .slice(0, 3)
      .map((step) => `${step.name} ${time(step.measured.total!)}`);
    return `Timeline: ${done} of ${total} passes done in ${time(model.duration())}; slowest ${slow.join(", ")}`;
  }
}

// valueAt is the value of a lane at a time.
function valueAt(points: Point[], at: number): number {
  let value = points[0]?.value ?? 0;
  for (const p of points) if (p.at <= at) value = p.value;
  return value;
}
