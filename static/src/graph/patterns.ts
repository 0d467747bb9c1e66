// How kernels may be fused: their op_pattern as a label on the nodes that call them, and whether FuseOps fused them.

import type { RunModel, Step } from "../store/model";
import { type Item, items } from "../store/rewrites";
import type { Rewrites } from "../wire";
import type { Asked } from "./asked";
import { lineBefore } from "./drawing";
import { pill } from "./pill";

// Names that are too long for a label.
const short: Record<string, string> = { "reduction with a fusible output": "fusible reduction" };

export const fusing = "FuseOps";

// Reported is what a pass reported about lines of a function before it.
export class Reported {
  private readonly items: Item[];

  constructor(readonly step: Step, private readonly fn: string, list: Rewrites) {
    this.items = items(list);
  }

  // at lists what was reported about a line.
  at(line: number): Item[] {
    if (line === 0) return [];
    return this.items.filter((x) => x.before.some((p) => (p.func ?? this.fn) === this.fn && p.line !== undefined && p.line <= line && line <= (p.end_line ?? p.line)));
  }
}

// reporter is the step that says why nodes were fused or not: the one that is shown, else the FuseOps that takes the function as it is.
export function reporter({ at, after, diff }: Asked): Step | null {
  const { model, step, fn } = at;
  if (diff) return step;
  const all = model.all();
  return all.slice(step ? all.indexOf(step) + 1 : 0).find((s) => s.name === fusing && s.finished?.functions.some((f) => f.name === fn && f.before === after)) ?? step;
}

// patternsAt are the patterns of kernels by their names: after the step, and of what it took away before it.
function patternsAt(model: RunModel, step: Step | null): Map<string, string> {
  const out = new Map<string, string>();
  for (const f of [...(step ? model.functionsBefore(step) : []), ...model.functionsAt(step)]) {
    if (f.metrics?.op_pattern) out.set(f.name, f.metrics.op_pattern);
  }
  return out;
}

// patterns labels the nodes that call kernels with a pattern and returns the patterns by node.
export function patterns(nodes: SVGGElement[], asked: Asked, report: Reported | null): Map<number, string> {
  const of = patternsAt(asked.at.model, asked.at.step);
  const out = new Map<number, string>();
  nodes.forEach((node, i) => {
    const pattern = of.get(node.dataset.callee ?? "") ?? (node.dataset.kind === "function" ? of.get(asked.at.fn) : undefined);
    if (!pattern) return;
    out.set(i, pattern);
    const apart = report?.step.name === fusing && report.at(lineBefore(node, asked.diff)).some((x) => x.decision && !x.decision.taken);
    node.append(pill(node, `${short[pattern] ?? pattern}${apart ? ", not fused" : ""}`, "start", `g-pattern${apart ? " is-apart" : ""}`));
  });
  return out;
}

// saying writes what a pass reported in a sentence.
export function saying(step: Step, x: Item): string {
  const d = x.decision;
  return d ? `${step.name} ${d.taken ? "did" : "did not"} ${d.rule}: ${d.reason}` : `${step.name}: ${x.name}`;
}
