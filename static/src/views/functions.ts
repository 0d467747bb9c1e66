// What views of functions have in common: entries, titles, and which function is shown first.

import { only } from "../store/counts";
import { byNumber, plural } from "../store/format";
import { firstChange, importPath, wholeModule } from "../store/model";
import type { FunctionChange } from "../wire";
import type { At, Entry, Listing } from "./view";

const badges: Record<string, [string, string]> = {
  relax: ["R", "Relax function"],
  prim_func: ["T", "PrimFunc (TensorIR)"],
  extern: ["X", "external function"],
  function: ["F", "function"],
  module: ["M", "what the module has besides functions"],
  loop: ["L", "loop"],
  machine: ["A", "machine code"],
  file: ["F", "file"],
};

function badge(kind: string): { badge: string; badgeTitle: string } {
  const [mark, title] = badges[kind] ?? ["?", kind];
  return { badge: mark, badgeTitle: title };
}

// changedFunctions lists those that the step changed.
export function changedFunctions(at: At): Listing {
  const { step } = at;
  const changed = step?.finished?.functions ?? [];
  return {
    entries: changed.map((c): Entry => ({
      name: c.name, key: c.name, ...badge(c.kind),
      // A sequential says which functions its passes changed, but not by how much.
      ...(c.added + c.removed > 0 || c.hunks ? { lines: c } : {}),
      ...(c.change === "changed" ? {} : { note: c.change === "added" ? "new" : c.change }),
    })),
    count: step?.finished ? `${changed.length} changed, ${step.finished.same} same` : "",
    sameCount: step?.finished?.same ?? 0,
    same: () => sameFunctions(at),
  };
}

// sameFunctions lists those that the step left as they were.
export function sameFunctions({ model, step }: At): Entry[] {
  const changed = new Set((step?.finished?.functions ?? []).map((c) => c.name));
  return byNumber(model.functionsAt(step)).filter((f) => !changed.has(f.name)).map((f) => ({ name: f.name, key: f.name, ...badge(f.kind), note: `${f.lines}` }));
}

// allFunctions lists those of the module after the step, and the whole module before them.
export function allFunctions({ model, step }: At): Listing {
  const functions = byNumber(model.functionsAt(step));
  const entries: Entry[] = functions.map((f) => ({ name: f.name, key: f.name, ...badge(f.kind), note: `${f.lines}` }));
  entries.unshift({ name: "whole module", key: wholeModule, badge: "M", badgeTitle: "all functions", note: `${functions.reduce((n, f) => n + f.lines, 0)}` });
  return { entries, count: plural(functions.length, "function") };
}

// mainFirst chooses main, else a function rather than the whole module.
export function mainFirst(_: At, keys: string[]): string {
  return keys.includes("main") ? "main" : (keys.find((key) => key !== wholeModule) ?? keys[0] ?? "");
}

// changeFirst chooses the function that the step changed most; the imported module has no changes.
export function changeFirst(at: At, keys: string[]): string {
  if (at.step !== null && at.step === at.model.imported) return mainFirst(at, keys);
  return firstChange(at.step)?.name ?? keys[0] ?? "";
}

// changeOf is what the step did to the function.
export function changeOf({ step, fn }: At): FunctionChange | undefined {
  return step?.finished?.functions.find((c) => c.name === fn);
}

// afterTitle names the function after the step.
export function afterTitle({ step, fn }: At): string {
  const name = fn === wholeModule ? "module" : fn;
  if (!step) return name ? `${name} as imported` : "Imported module";
  return step.path === importPath ? `${name || "module"} as imported` : `${name || "module"} after ${step.name}`;
}

// changeTitle names what the step did to the function.
export function changeTitle(at: At): string {
  const { step } = at;
  if (!step) return afterTitle(at);
  const name = at.fn === wholeModule ? "module" : at.fn;
  const change = changeOf(at);
  const marks = change ? only(change) : "";
  return `${name ? `${step.name} › ${name}` : step.name}${marks ? `: ${marks}` : ""}`;
}

// stateOf changes when a step does, or where there is none the run.
export function stateOf({ model, step }: At): string {
  return [step?.path, step?.status ?? model.finished?.status].join(" ");
}
