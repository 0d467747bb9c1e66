// The memory of a run: for each tensor when it lives, from left to right, and where it lies, from top to bottom. The same as a table
// stands below, for who does not see the drawing.

import { bytes, plural } from "../store/format";
import { h, s, setText } from "../widgets/dom";
import type { MemoryPlan, PlanTensor, Profiled } from "../wire";

const left = 72;
const right = 8;
const top = 22;
const bottom = 36;
const height = 300;
// least is the height of a tensor that can be seen, and letter the width of one letter of a name.
const least = 3;
const letter = 6.7;

export class MemoryPlanView {
  readonly host = h("section", { class: "plan", id: "memory-plan", "aria-labelledby": "memory-plan-title" });
  private readonly drawing = h("div", { class: "plan-drawing", "aria-hidden": "true" });
  private readonly said = h("p", { class: "plan-said num" });
  private readonly note = h("span", { class: "quiet" });
  private readonly rows = h("tbody");
  private profile: Profiled | null = null;
  private width = 0;

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.drawing);
    this.drawing.addEventListener("pointermove", (e) => this.point(e.target));
    this.drawing.addEventListener("pointerleave", () => this.say(-1));
    const head = (text: string, num = false): HTMLElement => h("th", { scope: "col", class: num ? "num" : "" }, text);
    const table = h("table", { class: "kernel-table", "aria-labelledby": "memory-plan-title" },
      h("thead", {}, h("tr", {}, head("Tensor"), head("Type"), head("Offset", true), head("Bytes", true), head("Made by"), head("Last used by"), head("Steps", true))), this.rows);
    this.host.append(
      h("div", { class: "plan-head" }, h("h3", { id: "memory-plan-title" }, "Memory plan"), this.note), this.drawing, this.said,
      h("details", { class: "plan-table" }, h("summary", {}, "As a table"), table));
  }

  show(profile: Profiled): void {
    this.profile = profile;
    const plan = profile.plan!;
    const parts = [`${plural(plan.storages.length, "storage")} for ${plural(plan.tensors.length, "tensor")}`, `beside ${bytes(plan.inputs)} of inputs and ${bytes(plan.constants)} of constants`];
    if (plan.omitted) parts.push(`${plural(plan.omitted, "smaller tensor")} left out`);
    setText(this.note, `lifetime across, offset down; ${parts.join(", ")}`);
    this.rows.replaceChildren(...plan.tensors.map((t) => this.row(plan, t)));
    this.width = 0;
    this.draw();
    this.say(-1);
  }

  private row(plan: MemoryPlan, t: PlanTensor): HTMLElement {
    return h("tr", {},
      h("th", { scope: "row", class: "mono" }, t.name), h("td", { class: "mono" }, typeOf(t)),
      h("td", { class: "num" }, (plan.storages[t.storage]!.offset + t.offset).toLocaleString("en")), h("td", { class: "num" }, t.bytes.toLocaleString("en")),
      h("td", { class: "mono" }, this.kernel(t.maker)), h("td", { class: "mono" }, this.kernel(t.last_use)), h("td", { class: "num" }, `${t.from + 1} to ${t.to + 1}`));
  }

  // kernel names the kernel of a step; empty where there is none.
  private kernel(step: number): string {
    const call = this.profile?.plan?.steps[step];
    return call === undefined ? "" : (this.profile!.calls[call]?.name ?? "");
  }

  private draw(): void {
    const width = this.drawing.clientWidth;
    const plan = this.profile?.plan;
    if (!plan || width < left + 80 || width === this.width) return;
    this.width = width;
    if (plan.steps.length === 0 || plan.extent === 0) return this.drawing.replaceChildren(h("p", { class: "quiet" }, "The run takes no memory for what it computes."));
    const x = (step: number): number => left + (step * (width - left - right)) / plan.steps.length;
    const y = (offset: number): number => top + (offset * (height - top - bottom)) / plan.extent;
    const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    this.scale(svg, plan, y, width);
    for (const st of plan.storages) {
      if (st.to >= st.from) svg.append(s("rect", { class: "storage", x: x(st.from), y: y(st.offset), width: x(st.to + 1) - x(st.from), height: Math.max(least, y(st.bytes) - top) }));
    }
    // The last that is drawn lies on top: the small ones must not be hidden.
    const order = plan.tensors.map((t, i) => ({ t, i })).filter(({ t }) => t.to >= t.from).sort((a, b) => b.t.bytes - a.t.bytes);
    for (const { t, i } of order) {
      const box = { x: x(t.from) + 1, y: y(plan.storages[t.storage]!.offset + t.offset), width: Math.max(1, x(t.to + 1) - x(t.from) - 2), height: Math.max(least, y(t.bytes) - top) };
      svg.append(s("rect", { class: "tensor", "data-i": i, rx: 2, ...box }));
      label(svg, t, box);
    }
    const peak = { from: x(plan.peak_from), to: x(plan.peak_to + 1) };
    const middle = Math.min(width - 60, Math.max(left + 50, (peak.from + peak.to) / 2));
    svg.append(
      s("rect", { class: "peak", x: peak.from, y: top, width: peak.to - peak.from, height: height - top - bottom }),
      s("text", { class: "peak-name", x: middle, y: top - 8 }, `peak ${bytes(plan.peak)}`));
    this.steps(svg, plan, x);
    this.drawing.replaceChildren(svg);
  }

  // scale draws the offsets at which storages begin and end, as far as there is room for them.
  private scale(svg: SVGElement, plan: MemoryPlan, y: (offset: number) => number, width: number): void {
    const marks = [0, plan.extent, ...plan.storages.flatMap((st) => [st.offset, st.offset + st.bytes])];
    const drawn: number[] = [];
    for (const offset of marks) {
      const at = y(offset);
      if (drawn.some((other) => Math.abs(other - at) < 16)) continue;
      drawn.push(at);
      svg.append(s("line", { class: "plan-grid", x1: left, x2: width - right, y1: at, y2: at }), s("text", { class: "offset", x: left - 8, y: at + 4 }, offset === 0 ? "0" : bytes(offset)));
    }
  }

  // steps names what each step computes, where a column is wide enough, and numbers the steps.
  private steps(svg: SVGElement, plan: MemoryPlan, x: (step: number) => number): void {
    const n = plan.steps.length;
    const column = x(1) - x(0);
    const every = Math.max(1, Math.ceil(34 / column));
    for (let step = 0; step < n; step += every) {
      const at = (x(step) + x(step + 1)) / 2;
      const name = this.profile!.calls[plan.steps[step]!]!.value ?? "";
      if (column >= 64 && name) svg.append(s("text", { class: "step-name", x: at, y: height - bottom + 16 }, cut(name, column - 6)));
      svg.append(s("text", { class: "step", x: at, y: height - bottom + (column >= 64 ? 31 : 18) }, column >= 64 ? `step ${step + 1}` : String(step + 1)));
    }
  }

  private point(target: EventTarget | null): void {
    const i = target instanceof Element ? target.getAttribute("data-i") : null;
    this.say(i === null ? -1 : Number(i));
  }

  // say describes the tensor that is pointed at, -1 for none.
  private say(i: number): void {
    for (const e of this.drawing.querySelectorAll(".tensor.lit")) e.classList.remove("lit");
    const plan = this.profile?.plan;
    const t = plan?.tensors[i];
    if (!plan || !t) return setText(this.said, "Point at a tensor to see its name, type, and who makes and last reads it.");
    this.drawing.querySelector(`.tensor[data-i="${i}"]`)?.classList.add("lit");
    const by = (step: number): string => `${this.kernel(step)} (step ${step + 1})`;
    const made = t.maker < 0 ? "" : `; made by ${by(t.maker)}`;
    const used = t.last_use < 0 || t.last_use === t.maker ? "" : `, last read by ${by(t.last_use)}`;
    setText(this.said, `${t.name}  ${typeOf(t)}, ${bytes(t.bytes)} at ${(plan.storages[t.storage]!.offset + t.offset).toLocaleString("en")}${made}${used}`);
  }
}

function typeOf(t: PlanTensor): string {
  return `${t.dtype}[${t.shape.join(", ")}]`;
}

// label writes name and size into a box, as far as there is room.
function label(svg: SVGElement, t: PlanTensor, box: { x: number; y: number; width: number; height: number }): void {
  if (box.height < 14 || box.width < 40) return;
  const size = bytes(t.bytes);
  const at = box.y + Math.min(box.height / 2 + 4, 18);
  const both = box.width > (t.name.length + size.length + 3) * letter;
  svg.append(s("text", { class: "tensor-name", x: box.x + 7, y: at }, both ? t.name : cut(t.name, box.width - 12)));
  if (both) svg.append(s("text", { class: "tensor-size", x: box.x + box.width - 7, y: at }, size));
}

// cut shortens a name to a width, in its middle: both ends say what it is.
function cut(name: string, width: number): string {
  const room = Math.floor(width / letter);
  if (name.length <= room) return name;
  if (room < 5) return "";
  const head = Math.ceil((room - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (room - 1 - head))}`;
}
