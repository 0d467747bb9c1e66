// The profile of a run: figures, a table of its kernels, and its memory. Where nothing was measured it offers to measure.

import "../shared";
import { big, bytes, plural, time } from "../store/format";
import type { Profile, RunModel } from "../store/model";
import { summarize, type Summary } from "../store/profile";
import { h, press } from "../widgets/dom";
import { KernelTable } from "./kerneltable";
import { MemoryPlanView } from "./planview";

export interface ProfileListener {
  openKernel(name: string): void;
  // measure starts a run that measures so many times.
  measure(runs: number): void;
  // refusal says why this reader can start none; empty for one who can.
  refusal(): string;
}

// choices are how often a run may be measured; the second is what most models need.
const choices = [20, 100, 1000];

export class ProfileView {
  private readonly body = h("div", { class: "profile-body", tabindex: 0, role: "region", "aria-label": "Kernels and memory" });
  private readonly count = h("select", { class: "field", id: "profile-runs", "aria-label": "Runs to measure" }, ...choices.map((n) => h("option", { value: n, selected: n === choices[1] }, plural(n, "run"))));
  private readonly button = h("button", { type: "button", class: "btn", id: "measure" }, "Measure");
  private readonly table: KernelTable;
  private readonly plan = new MemoryPlanView();
  private drawn = "";
  private at = 0;
  // asked is the run that was shown when the reader asked for a measurement; empty where none is awaited.
  private asked = "";

  constructor(host: HTMLElement, private readonly on: ProfileListener) {
    this.table = new KernelTable((name) => on.openKernel(name));
    this.button.addEventListener("click", () => {
      this.asked = this.drawn.split(" ", 1)[0]!;
      on.measure(Number(this.count.value));
    });
    host.replaceChildren(this.body);
  }

  // show draws what changed since it was drawn.
  show(model: RunModel): void {
    const waits = this.asked !== "" && (this.asked === model.id || !model.finished);
    if (!waits) this.asked = "";
    const refusal = this.on.refusal();
    const key = [model.id, model.profiles.length, model.executions.length, model.finished !== null, waits, refusal, this.at].join(" ");
    if (key === this.drawn) return;
    this.drawn = key;
    const profile = model.profiles[this.at] ?? model.profiles[0];
    const summary = profile && summarize(profile);
    if (profile && summary) this.body.replaceChildren(...this.measured(model, profile, summary));
    else this.body.replaceChildren(this.offer(model, waits, refusal));
  }

  // offer says what measuring does, or why it cannot be done.
  private offer(model: RunModel, waits: boolean, refusal: string): HTMLElement {
    const say = (title: string, text: string, ...more: HTMLElement[]): HTMLElement =>
      h("div", { class: "empty" }, h("p", { class: "empty-title", role: "status" }, title), h("p", {}, text), ...more);
    if (waits) return say("Measuring", "The program runs again, and each call of a kernel is timed.");
    if (!model.finished) return say("Waiting for the run", "Its kernels can be measured when it has ended.");
    if (model.executions.every((x) => x.body.error) || model.finished.status !== "ok") {
      return say("Nothing to measure", "The run executed no program to the end. The view Result says why.");
    }
    if (refusal) return say("Not measured", `${refusal}.`);
    return say("Not measured yet", "The server runs the program again and times each kernel. That takes at most three seconds and makes a new run of this session.",
      h("p", { class: "profile-ask" }, this.count, this.button));
  }

  private measured(model: RunModel, profile: Profile, s: Summary): HTMLElement[] {
    const { plan } = profile.body;
    this.table.show(s);
    if (plan) this.plan.show(profile.body);
    return [
      ...(model.profiles.length > 1 ? [this.choice(model)] : []),
      figures(s, profile),
      this.table.host,
      h("p", { class: "profile-legend" }, legend(s)),
      ...(plan ? [this.plan.host] : []),
    ];
  }

  // choice are the executions, one for each binding of symbolic dimensions.
  private choice(model: RunModel): HTMLElement {
    const all = model.profiles.map((p, i) => {
      const b = h("button", { type: "button", class: "btn small mono" }, Object.entries(p.body.bindings ?? {}).map(([name, n]) => `${name}=${n}`).join(" ") || p.body.function);
      press(b, i === this.at);
      b.addEventListener("click", () => {
        this.at = i;
        this.show(model);
        this.body.querySelectorAll<HTMLElement>(".profile-choice button")[i]?.focus();
      });
      return b;
    });
    return h("div", { class: "profile-choice", role: "group", "aria-label": "Executions" }, ...all);
  }
}

function figures(s: Summary, { body }: Profile): HTMLElement {
  const figure = (name: string, value: string, more: string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", {}, value, h("small", {}, more)));
  const perSecond = s.flops / s.median;
  const limit = s.limit && !ofBytes(s) ? `, ${Math.round((100 * perSecond * 1e9) / Number(s.limit.flops))} % of ${(Number(s.limit.flops) / 1e9).toPrecision(3)}` : "";
  return h("dl", { class: "profile-figures" },
    figure(`Time of a run, median of ${s.runs.toLocaleString("en")}`, time(s.median), `best ${time(s.best)}`),
    figure("Arithmetic", big(s.flops), `FLOPs in ${plural(s.kernels.length, "kernel")}`),
    figure("Reached", Number(perSecond.toPrecision(3)).toLocaleString("en"), `GFLOP/s${limit}`),
    body.plan ? figure("Peak memory", bytes(body.plan.peak), `of ${bytes(body.plan.unplanned)} of tensors`) : h("div"));
}

function ofBytes(s: Summary): boolean {
  return s.kernels.some((k) => k.byteOps > 0);
}

// legend says what the numbers are, and how the limit was measured.
function legend(s: Summary): string {
  const out = ["Times are medians; kernels and the rows below them add up to the time of a run."];
  out.push("Operations are counted in the loops at the sizes of this run, bytes in the arguments, each element once.");
  if (ofBytes(s)) out.push("# products and sums of bytes (T.dp4a) count, too.");
  if (s.special > 0) out.push(`* and ${plural(s.special, "call")} of mathematical functions such as exp, which FLOPs leave out.`);
  if (s.kernels.some((k) => k.bound)) out.push("≤ at most: part of the work depends on conditions.");
  if (s.kernels.some((k) => k.partial)) out.push("? part of the work was not counted.");
  if (s.limit) {
    const rates = s.limit.bandwidths.map((b) => `${(Number(b.per_second) / 1e9).toPrecision(3)} GB/s to ${bytes(b.bytes)}`);
    out.push(`The limit is what code of this compiler reached on one thread of the server, measured once: ${(Number(s.limit.flops) / 1e9).toPrecision(3)} GFLOP/s of multiply-adds${s.limit.byte_ops ? `, ${Math.round(Number(s.limit.byte_ops) / 1e9).toLocaleString("en")} billion products and sums of bytes a second` : ""}, and ${rates.join(", ")}. Of limit is the least time at these rates as a share of the time that the kernel took.`);
  }
  return out.join(" ");
}
