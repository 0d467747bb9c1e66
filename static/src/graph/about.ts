// The line below a graph: what the node is that the reader is at, and what passes reported about it.

import { percent } from "../store/profile";
import type { Step } from "../store/model";
import { h } from "../widgets/dom";
import type { Asked } from "./asked";
import { lineBefore } from "./drawing";
import { fusing, type Reported, saying } from "./patterns";

// Action is something that the line offers to do.
interface Action {
  text: string;
  run(): void;
}

export class About {
  patterns = new Map<number, string>();
  report: Reported | null = null;
  private asked: Asked | null = null;
  private from: Step | null = null;

  // why is called where the reader asks why a kernel was fused or not.
  constructor(private readonly host: HTMLElement, private readonly why: () => void) {}

  // of says what is shown, and what was reported by the step that decides about it.
  of(asked: Asked, report: Reported | null, from: Step | null): void {
    this.asked = asked;
    this.report = report;
    this.from = from;
  }

  // say shows a sentence until the reader goes to another node.
  say(text: string, action?: Action): void {
    this.host.replaceChildren(h("span", {}, text), ...(action ? [button(action)] : []));
  }

  // show tells of a node, with its share of the time of the run.
  show(node: SVGGElement | null, share: number | null): void {
    if (!node) return this.host.replaceChildren();
    const title = node.querySelector("title")?.textContent?.split("\n")[0] ?? "";
    const scope = (node.dataset.in ?? "").replace(/^scope:/, "");
    const pattern = this.patterns.get(Number(node.dataset.index));
    const { asked, report, from } = this;
    const facts = [scope && `in ${scope}`, share !== null && `${percent(share)} of the time`, pattern && `op_pattern: ${pattern}`];
    if (asked && report) facts.push(...report.at(lineBefore(node, asked.diff)).map((x) => saying(report.step, x)));
    this.host.replaceChildren(h("span", { class: "g-of mono" }, title), ...facts.filter((x) => typeof x === "string" && x !== "").map((x) => h("span", {}, x as string)));
    if (pattern && !report && from?.name === fusing && from.finished) this.host.append(button({ text: "Why was it fused or not?", run: this.why }));
  }
}

function button({ text, run }: Action): HTMLElement {
  const b = h("button", { type: "button", class: "btn small" }, text);
  b.addEventListener("click", run);
  return b;
}
