// Explicit steps of a pipeline, as settings hold them. Nothing here changes what it is given.

import type { PlanStep, Script, Settings, SettingsStep } from "./wire";

// userPrefix stands before the names of passes that users wrote.
export const userPrefix = "user.";

// stepsOf returns the steps inside of the outermost one of a plan.
export function stepsOf(plan: PlanStep[]): SettingsStep[] {
  const inside = new Map<string, SettingsStep[]>();
  for (const p of plan) {
    const steps: SettingsStep[] = [];
    inside.set(p.step, steps);
    inside.get(p.parent ?? "")?.push(p.kind === "sequential" ? { name: p.name, steps } : { name: p.name });
  }
  return (plan[0] && inside.get(plan[0].step)) ?? [];
}

// insertAfter puts steps behind the one with a path such as "1.3.2/FuseOps"; behind the outermost one means last, and behind no
// step of the pipeline first.
function insertAfter(steps: SettingsStep[], path: string, names: string[]): SettingsStep[] {
  const added = names.map((name) => ({ name }));
  const numbers = path.split("/", 1)[0]!.split(".").slice(1).map((n) => Number.parseInt(n, 10));
  const [first, ...rest] = numbers;
  if (path.startsWith("1/")) return [...steps, ...added];
  if (first === undefined || !(first >= 1 && first <= steps.length)) return [...added, ...steps];
  const at = steps[first - 1]!;
  if (at.steps && rest.length > 0) {
    const inside = insertAfter(at.steps, ["1", ...rest].join("."), names);
    return [...steps.slice(0, first - 1), { ...at, steps: inside }, ...steps.slice(first)];
  }
  return [...steps.slice(0, first), ...added, ...steps.slice(first)];
}

// without takes steps out by name, and sequences that lose their last one.
function without(steps: SettingsStep[], names: string[]): SettingsStep[] {
  return steps.flatMap((s) => {
    if (names.includes(s.name)) return [];
    if (!s.steps) return [s];
    const inside = without(s.steps, names);
    return inside.length > 0 ? [{ ...s, steps: inside }] : [];
  });
}

// namesOf lists the names of all steps.
function namesOf(steps: SettingsStep[]): string[] {
  return steps.flatMap((s) => [s.name, ...namesOf(s.steps ?? [])]);
}

// pathOf returns the path of the first step of a name.
function pathOf(steps: SettingsStep[], name: string, above = "1"): string {
  for (const [i, s] of steps.entries()) {
    const path = `${above}.${i + 1}`;
    const found = s.name === name ? `${path}/${name}` : pathOf(s.steps ?? [], name, path);
    if (found) return found;
  }
  return "";
}

// changed returns steps for settings: none where they are those of the named pipeline.
function changed(steps: SettingsStep[], plan: SettingsStep[]): SettingsStep[] | null {
  return JSON.stringify(steps) === JSON.stringify(plan) ? null : steps;
}

// Put is a script that goes into a run: in place of the one that is saved, if any. It defines the passes names; those of the other
// scripts are others. New passes come where one was that is gone, or behind a step.
export interface Put {
  script: Script;
  saved: string;
  after: string;
  names: string[];
  others: string[];
}

// put returns what changes, and the name of the pass to look at.
export function put(settings: Settings, plan: SettingsStep[], p: Put): [Partial<Settings>, string] {
  const old = settings.steps ?? plan;
  const had = namesOf(old);
  const gone = had.filter((name) => name.startsWith(userPrefix) && !p.names.includes(name) && !p.others.includes(name));
  const fresh = p.names.filter((name) => !had.includes(name));
  const steps = without(insertAfter(old, gone[0] ? pathOf(old, gone[0]) : p.after, fresh), gone);
  const all = settings.scripts ?? [];
  const scripts = p.saved ? all.map((s) => (s.name === p.saved ? p.script : s)) : [...all, p.script];
  return [{ scripts, steps: changed(steps, plan) }, fresh[0] ?? p.names[0] ?? ""];
}

// take returns what changes where a script goes that defines the passes names.
export function take(settings: Settings, plan: SettingsStep[], script: string, names: string[]): Partial<Settings> {
  return {
    scripts: (settings.scripts ?? []).filter((s) => s.name !== script),
    steps: changed(without(settings.steps ?? plan, names), plan),
    disabled: (settings.disabled ?? []).filter((name) => !names.includes(name)),
  };
}
