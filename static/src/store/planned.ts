// The pipeline that is about to run, as the tree shows it until its run has begun: the steps of the last run in their new places.

import { type RunModel, startsLog, type Step } from "./model";
import type { PassInfo, PlanStep, SettingsStep } from "../wire";

type Known = Pick<PlanStep, "level" | "role" | "kind">;

// planned returns the model of steps whose outermost one is called root. What is known of a step is taken over from the last run.
export function planned(old: RunModel, root: string, steps: SettingsStep[], info: (name: string) => PassInfo | undefined, plans: PlanStep[][]): RunModel | null {
  if (!old.started) return null;
  const out = new (old.constructor as new (id: string) => RunModel)(old.id);
  const top = `1/${root}`;
  const plan: PlanStep[] = [{ step: top, name: root, level: 0, role: "optional", kind: "sequential" }];
  const all = [old.started.plan, ...plans].flat();
  const known = (name: string): Known => info(name) ?? all.find((p) => p.name === name) ?? { level: 0, role: "optional", kind: "module" };
  const add = (list: SettingsStep[], parent: string, number: string): void => {
    for (const [i, s] of list.entries()) {
      const at = `${number}.${i + 1}`;
      const { level, role, kind } = known(s.name);
      plan.push({ step: `${at}/${s.name}`, parent, name: s.name, level, role, kind: s.steps ? "sequential" : kind });
      add(s.steps ?? inside(s.name, all), `${at}/${s.name}`, at);
    }
  };
  add(steps, top, "1");
  out.apply([startsLog({ ...old.started, plan })]);
  takeOver(old, out);
  return out;
}

// inside lists what a pass is made of that is made of passes.
function inside(name: string, all: PlanStep[]): SettingsStep[] {
  const one = all.find((p) => p.name === name && p.kind === "sequential");
  const seen = new Set<string>();
  return all.filter((p) => one && p.parent === one.step && !seen.has(p.step) && seen.add(p.step)).map((p) => ({ name: p.name }));
}

// takeOver copies what the last run said of each step: that of the same name and turn.
function takeOver(old: RunModel, out: RunModel): void {
  const before = new Map<string, Step[]>();
  for (const step of old.all()) before.set(step.name, [...(before.get(step.name) ?? []), step]);
  for (const step of out.all()) {
    const last = before.get(step.name)?.shift();
    if (!last) continue;
    const { path, parent, depth, children, ...rest } = last;
    Object.assign(step, rest);
  }
  out.version++; // what was counted of the steps counts no more
}
