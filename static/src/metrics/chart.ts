// One metric over the whole pipeline, a column for each step. It is a slider for the keyboard: the arrows select the pass.

import { h, s, setText } from "../widgets/dom";
import type { Measure } from "../store/measures";
import type { RunModel, Step } from "../store/model";

interface Point {
  step: Step | null;
  name: string;
  value: number;
}

const height = 132;
const left = 66;
const top = 10;
const bottom = 22;

export class Chart {
  readonly host = h("div", { class: "chart", id: "metrics-chart", role: "slider", tabindex: 0, "aria-label": "Pass", "aria-orientation": "horizontal" });
  private readonly said = h("p", { class: "chart-said num", id: "metrics-said" });
  private points: Point[] = [];
  private measure: Measure | null = null;
  private at = 0;
  private width = 0;

  constructor(private readonly on: { select(step: Step): void }) {
    new ResizeObserver(() => this.draw()).observe(this.host);
    this.host.addEventListener("pointermove", (e) => this.say(this.near(e)));
    this.host.addEventListener("pointerleave", () => this.say(this.at));
    this.host.addEventListener("click", (e) => this.choose(this.near(e)));
    this.host.addEventListener("keydown", (e) => this.key(e));
  }

  show(model: RunModel, step: Step | null, measure: Measure): void {
    this.measure = measure;
    this.points = model.lanes
      .filter((l) => l.step === null || l.step.kind !== "sequential")
      .map((l) => ({ step: l.step ?? model.imported, name: l.step?.name ?? "import", value: measure.of(l.metrics) }));
    // A step without metrics of its own, such as one that was skipped, stands where the module was.
    let at = this.points.findIndex((p) => p.step === step);
    if (at < 0 && step) at = this.points.findLastIndex((p) => p.step !== null && p.step.seq >= 0 && step.seq >= 0 && p.step.seq <= step.seq);
    this.at = Math.max(0, at);
    this.width = 0;
    this.draw();
  }

  private draw(): void {
    const width = this.host.clientWidth;
    const m = this.measure;
    if (!m || width < left + 40 || this.width === width) return;
    this.width = width;
    const n = this.points.length;
    this.host.setAttribute("aria-valuemin", "0");
    this.host.setAttribute("aria-valuemax", String(Math.max(0, n - 1)));
    if (n === 0) return this.host.replaceChildren(h("p", { class: "quiet" }, "Nothing has been measured yet."));
    const most = Math.max(1, ...this.points.map((p) => p.value));
    const x = (i: number): number => left + (i * (width - left - 8)) / n;
    const y = (v: number): number => height - bottom - (v / most) * (height - bottom - top);
    const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const v of [0, most]) {
      svg.append(s("line", { x1: left, x2: width - 8, y1: y(v), y2: y(v), class: "chart-grid" }), s("text", { x: left - 8, y: y(v) + 4, class: "chart-scale" }, m.print(v)));
    }
    const now = this.points[this.at]!;
    let line = "";
    this.points.forEach((p, i) => (line += `${i === 0 ? "M" : "L"}${x(i).toFixed(1)} ${y(p.value).toFixed(1)}H${x(i + 1).toFixed(1)}`));
    svg.append(s("path", { d: `${line}V${y(0)}H${x(0)}Z`, class: "lane-area" }), s("path", { d: line, class: "lane-line" }));
    svg.append(s("rect", { x: x(this.at), y: top, width: Math.max(2, x(1) - x(0)), height: height - bottom - top, class: "chart-now" }));
    const mid = (x(this.at) + x(this.at + 1)) / 2;
    const half = now.name.length * 3.4;
    svg.append(s("circle", { cx: mid, cy: y(now.value), r: 4, class: "chart-dot" }), s("text", { x: Math.min(width - half - 4, Math.max(left + half, mid)), y: height - 6, class: "chart-name" }, now.name));
    this.host.replaceChildren(svg, this.said);
    this.host.setAttribute("aria-valuenow", String(this.at));
    this.host.setAttribute("aria-valuetext", this.text(this.at));
    this.say(this.at);
  }

  private text(i: number): string {
    const p = this.points[i];
    if (!p || !this.measure) return "";
    const before = this.points[i - 1]?.value ?? p.value;
    const { print } = this.measure;
    return `${i + 1} of ${this.points.length}, ${p.name}: ${before === p.value ? print(p.value) : `${print(before)} → ${print(p.value)}`}`;
  }

  private say(i: number): void {
    setText(this.said, this.text(i));
  }

  private near(e: MouseEvent): number {
    const from = this.host.getBoundingClientRect().left;
    const i = Math.floor(((e.clientX - from - left) / (this.width - left - 8)) * this.points.length);
    return Math.max(0, Math.min(this.points.length - 1, i));
  }

  private choose(i: number): void {
    const step = this.points[i]?.step;
    if (step) this.on.select(step);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const last = this.points.length - 1;
    const to = { ArrowRight: this.at + 1, ArrowUp: this.at + 1, ArrowLeft: this.at - 1, ArrowDown: this.at - 1, Home: 0, End: last, PageDown: this.at + 10, PageUp: this.at - 10 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    this.choose(Math.max(0, Math.min(last, to)));
  }
}
