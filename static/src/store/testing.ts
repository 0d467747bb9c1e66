// What the tests of the store have in common: events of made-up runs, and a source of chance. No script of a page imports it.

import type { FunctionChange, PlanStep, WireEvent } from "../wire";

// plan makes a plan of paths: a step is in the one whose number its own begins with. What has steps is a sequence.
export function plan(...paths: string[]): PlanStep[] {
  const number = (path: string): string => path.split("/")[0]!;
  const above = (path: string): string | undefined => {
    const n = number(path);
    return paths.find((p) => n.slice(0, n.lastIndexOf(".")) === number(p));
  };
  return paths.map((path) => {
    const parent = above(path);
    const holds = paths.some((p) => above(p) === path) || path === paths[0];
    return { step: path, ...(parent ? { parent } : {}), name: path.slice(path.indexOf("/") + 1), level: 0, role: "optional", kind: holds ? "sequential" : "module" };
  });
}

// started begins a run of a module with two functions, main with the text h0 and k with the text k0.
export function started(steps: PlanStep[]): WireEvent {
  return {
    seq: 0, type: "run_started",
    body: {
      model: "m", target: "wasm", opt_level: 2, pipeline: "default", module: "0", plan: steps,
      functions: [{ name: "main", kind: "relax", text: "h0", lines: 3 }, { name: "k", kind: "prim_func", text: "k0", lines: 5 }],
    },
  } as unknown as WireEvent;
}

export function event(seq: number, type: "pass_started", step: string, parent = ""): WireEvent {
  const name = step.slice(step.indexOf("/") + 1);
  return { seq, type, step, ...(parent ? { parent } : {}), body: { name, level: 0, role: "optional", kind: "module" } } as WireEvent;
}

export function finished(seq: number, step: string, functions: FunctionChange[]): WireEvent {
  const name = step.slice(step.indexOf("/") + 1);
  return { seq, type: "pass_finished", step, body: { name, changed: functions.length > 0, added: 0, removed: 0, same: 0, functions } } as unknown as WireEvent;
}

export function skipped(seq: number, step: string, reason: string): WireEvent {
  const name = step.slice(step.indexOf("/") + 1);
  return { seq, type: "pass_skipped", step, body: { name, level: 0, role: "optional", kind: "module", reason, text: reason } } as WireEvent;
}

// change is what becomes of a function: texts by their hash, undefined where there is none.
export function change(name: string, before: string | undefined, after: string | undefined): FunctionChange {
  return {
    name, kind: "relax", change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
    ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }),
    lines_before: before === undefined ? 0 : 3, lines_after: after === undefined ? 0 : 4, added: 1, removed: 1,
  } as FunctionChange;
}

// random returns a function that draws whole numbers below n. The numbers follow from which test draws them, and from SCRIPT_SEED, which
// go test sets anew with each commit.
export function random(test: number): (n: number) => number {
  let x = (Math.imul(test, 0x9e3779b1) ^ Number(process.env.SCRIPT_SEED ?? 0)) | 1;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}
