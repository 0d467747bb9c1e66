// The timeline: one bar for each pass, nested, to scale of time or one column for each step; below it lanes that show how the module grows and shrinks.

import { s } from "./dom";
import { big, bytes, time } from "./format";
import type { RunModel, Step } from "./model";
import { opCount } from "./model";
import type { Metrics } from "./wire";

interface Bar {
  step: Step | null;
  name: string;
  depth: number;
  from: number;
  to: number;
}

const labelWidth = 104;
const barHeight = 18;
const laneHeight = 22;
// valueWidth is the column at the right in which each lane says its first and last value.
const valueWidth = 150;

const lanes: [string, (m: Metrics) => number, (n: number) => string][] = [
  ["Graph ops", opCount, big],
  ["Kernels", (m) => m.kernels, big],
  ["Intermediates", (m) => m.intermediate_bytes, bytes],
  ["FLOPs", (m) => m.flops, big],
];

export class Timeline {
  private byStep = false;
  private model: RunModel | null = null;
  private selected = "";
  private drawn = "";

  constructor(private readonly host: HTMLElement, private readonly on: { select(step: Step): void }) {
    new ResizeObserver(() => this.draw()).observe(host);
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
    const width = this.host.clientWidth;
    if (!model || width < labelWidth + 60) return;
    const bars = this.layout(model);
    const end = Math.max(1e-9, ...bars.map((b) => b.to));
    const depths = 1 + Math.max(0, ...bars.map((b) => b.depth));
    const right = width > 640 ? valueWidth : 12;
    const x = (t: number): number => labelWidth + (t / end) * (width - labelWidth - right);
    const shownLanes = lanes.filter(([, of]) => model.lanes.some((l) => of(l.metrics) > 0));
    const lanesTop = depths * (barHeight + 2) + 8;
    const height = lanesTop + shownLanes.length * laneHeight + 4;
    const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.describe(model) });
    svg.append(s("text", { x: 10, y: 13, class: "lane-name" }, "Passes"));
    for (const bar of bars) svg.append(this.bar(bar, x));
    const ends = new Map(bars.map((b) => [b.step, b.to]));
    shownLanes.forEach(([name, of, print], k) => {
      svg.append(...this.lane(model, name, of, print, lanesTop + k * laneHeight, x, end, ends));
    });
    const now = bars.find((b) => b.step?.path === this.selected);
    if (now) {
      const mid = x(now.to);
      svg.append(s("line", { x1: mid, x2: mid, y1: 0, y2: height, class: "cursor" }));
    }
    this.host.replaceChildren(svg);
  }

  // layout places the bars one after the other. It adds up the durations rather than trust the start times: steps taken from an
  // earlier run carry that run's times.
  private layout(model: RunModel): Bar[] {
    const bars: Bar[] = [];
    const place = (step: Step, depth: number, at: number): number => {
      const bar: Bar = { step, name: step.name, depth, from: at, to: at };
      bars.push(bar);
      for (const child of step.children) at = place(child, depth + 1, at);
      const ended = step.status !== "waiting" && step.status !== "running" && step.status !== "skipped";
      const own = this.byStep ? (step.kind === "sequential" ? 0 : 1) : ended ? (step.measured.total ?? 0) : 0;
      bar.to = Math.max(at, bar.from + own);
      return bar.to;
    };
    let at = 0;
    for (const root of model.roots) at = place(root, 0, at);
    if (model.codegenTime > 0) bars.push({ step: null, name: "code generation", depth: 0, from: at, to: at + (this.byStep ? 2 : model.codegenTime) });
    return bars.filter((b) => b.to > b.from);
  }

  private bar(bar: Bar, x: (t: number) => number): SVGElement {
    const left = x(bar.from);
    const w = Math.max(1, x(bar.to) - left - 1);
    const y = bar.depth * (barHeight + 2);
    const step = bar.step;
    const duration = step ? (step.measured.total ?? 0) : (this.model?.codegenTime ?? 0);
    const status = step?.status ?? "changed";
    const selected = step && step.path === this.selected ? " selected" : "";
    const g = s("g", { class: `bar is-${status}${step?.kind === "sequential" || !step ? " group" : ""}${step?.reused ? " reused" : ""}${selected}`, "data-step": step?.path ?? null });
    g.append(
      s("title", {}, `${bar.name}: ${status === "skipped" ? step!.text : time(duration)}${step?.reused ? " (reused)" : ""}`),
      s("rect", { x: left, y, width: w, height: barHeight, rx: Math.min(3, w / 2) }),
    );
    const room = Math.floor((w - 8) / 6.6);
    if (room >= 4) g.append(s("text", { x: left + 5, y: y + 13 }, bar.name.length > room ? `${bar.name.slice(0, room - 1)}…` : bar.name));
    return g;
  }

  private lane(
    model: RunModel, name: string, of: (m: Metrics) => number, print: (n: number) => string,
    y: number, x: (t: number) => number, end: number, ends: Map<Step | null, number>,
  ): SVGElement[] {
    const points = model.lanes
      .filter((l) => l.step === null || l.step.kind !== "sequential")
      .map((l) => ({ t: l.step ? (ends.get(l.step) ?? -1) : 0, v: of(l.metrics) }))
      .filter((p) => p.t >= 0);
    if (points.length === 0) return [];
    const top = Math.max(1, ...points.map((p) => p.v));
    const py = (v: number): number => y + laneHeight - 4 - (v / top) * (laneHeight - 9);
    let line = `M${x(0)} ${py(points[0]!.v)}`;
    let max = points[0]!;
    for (const p of points) {
      line += `H${x(p.t).toFixed(1)}V${py(p.v).toFixed(1)}`;
      if (p.v > max.v) max = p;
    }
    line += `H${x(end).toFixed(1)}`;
    const first = points[0]!.v;
    const last = points.at(-1)!.v;
    return [
      s("text", { x: 10, y: y + 14, class: "lane-name" }, name),
      s(
        "g",
        { class: "lane" },
        s("title", {}, `${name}: ${print(first)} at first, ${print(max.v)} at most, ${print(last)} now`),
        s("path", { d: `${line}V${y + laneHeight - 4}H${x(0)}Z`, class: "lane-area" }),
        s("path", { d: line, class: "lane-line" }),
        this.host.clientWidth > 640 ? s("text", { x: x(end) + 10, y: y + 14, class: "lane-value" }, first === last ? print(last) : `${print(first)} → ${print(last)}`) : null,
      ),
    ];
  }

  private describe(model: RunModel): string {
    const { done, total } = model.progress();
    const slow = model
      .all()
      .filter((step) => step.kind !== "sequential" && step.measured.total)
      .sort((a, b) => b.measured.total! - a.measured.total!)
      .slice(0, 3)
      .map((step) => `${step.name} ${time(step.measured.total!)}`);
    return `Timeline: ${done} of ${total} passes done in ${time(model.duration())}; slowest ${slow.join(", ")}`;
  }
}
