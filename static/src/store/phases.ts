// The phases of a pipeline: what its passes work on, from the graph to the code.

import type { RunModel, Step } from "./model";

export type Phase = "graph" | "calls" | "loops" | "code" | "passes";

export const phaseNames: Record<Phase, string> = { graph: "graph", calls: "calls and memory", loops: "loops", code: "code", passes: "passes" };

// calls are the passes that make calls of kernels and plan their memory, code those that make functions of loops which a machine can
// call. What else works on PrimFuncs is about loops, and the rest about the graph.
const calls = new Set(["RewriteDataflowReshape", "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite", "ElideCopies", "StaticPlanBlockMemory", "LowerAllocTensor", "KillAfterLastUse", "LowerRuntimeBuiltin", "ComputePrimValue", "VMShapeLower", "AttachGlobalSymbol"]);
const code = new Set(["tir.MakePackedAPI", "tir.LowerSmallDatatypes", "tir.SkipAssert", "tir.LowerTVMBuiltin", "tir.LowerIntrin", "tir.LowerMath", "tir.ContractFMA"]);

// phaseOf returns the phase of a pass by its name. What users wrote belongs where it runs: with the pass before it.
export function phaseOf(name: string, before: Phase): Phase {
  if (/^(user|edit|schedule)\./.test(name) || /^[a-z_]+$/.test(name)) return before; // primitives of schedules have names of methods
  if (code.has(name)) return "code";
  if (name.startsWith("tir.")) return "loops";
  return calls.has(name) ? "calls" : "graph";
}

// Stretch is a part of a pipeline that is in one phase.
export interface Stretch {
  phase: Phase;
  steps: Step[];
}

// stretches lists the passes of a run in their order, those that follow each other in one phase together. Sequences are not listed: what
// they hold is.
export function stretches(model: RunModel): Stretch[] {
  if (model.started?.dump) return allOf(model);
  const out: Stretch[] = [];
  for (const step of model.all()) {
    if (step.kind === "sequential") continue;
    const last = out.at(-1);
    const phase = phaseOf(step.name, last?.phase ?? "graph");
    if (last?.phase === phase) last.steps.push(step);
    else out.push({ phase, steps: [step] });
  }
  return out;
}

// mostCells is how many passes of another compiler have a cell each. Of more only those that changed something have one, of more of these
// those that changed most lines.
const mostCells = 1000;

// allOf lists the passes of another compiler, whose phases are not known.
function allOf(model: RunModel): Stretch[] {
  let steps = model.all().filter((step) => step.kind !== "sequential");
  if (steps.length > mostCells) steps = steps.filter((step) => step.status === "changed" || step.status === "failed");
  if (steps.length > mostCells) {
    const lines = (step: Step): number => (step.finished ? step.finished.added + step.finished.removed : Infinity);
    const most = new Set(steps.toSorted((a, b) => lines(b) - lines(a)).slice(0, mostCells));
    steps = steps.filter((step) => most.has(step));
  }
  return steps.length > 0 ? [{ phase: "passes", steps }] : [];
}

// height is the share of the full height that a pass has that changed so many lines, where the one that changed most has all of it.
export function height(lines: number, most: number): number {
  return most > 0 ? Math.log1p(lines) / Math.log1p(most) : 0;
}

// blocks returns what five blocks show of a change: how many of them are filled, by the logarithm of the lines, and how many of those
// stand for added, removed and other lines. What is there at all shows while there is a block for it.
export function blocks(c: { added: number; removed: number; renamed: number; moved: number }): { added: number; removed: number; other: number } {
  const other = c.renamed + c.moved;
  const all = c.added + c.removed + other;
  if (all === 0) return { added: 0, removed: 0, other: 0 };
  const filled = [8, 32, 128, 512].filter((limit) => all > limit).length + 1;
  let rest = filled;
  const take = (lines: number, later: number): number => {
    if (lines === 0 || rest === 0) return 0;
    const n = Math.max(1, Math.min(rest - later, Math.round((filled * lines) / all)));
    const got = Math.min(n, rest);
    rest -= got;
    return got;
  };
  // In one block the larger part shows.
  const order = ([["removed", c.removed], ["added", c.added], ["other", other]] as const).toSorted((a, b) => b[1] - a[1]).filter(([, n]) => n > 0);
  const out = { added: 0, removed: 0, other: 0 };
  order.forEach(([name, n], i) => (out[name] = i === order.length - 1 ? rest : take(n, Math.min(order.length - 1 - i, rest - 1))));
  return out;
}
