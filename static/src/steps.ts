// Explicit steps of a pipeline, as settings hold them. Nothing here changes what it is given.

import type { PlanStep, SettingsStep } from "./wire";

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
export function insertAfter(steps: SettingsStep[], path: string, names: string[]): SettingsStep[] {
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
export function without(steps: SettingsStep[], names: string[]): SettingsStep[] {
  return steps.flatMap((s) => {
    if (names.includes(s.name)) return [];
    if (!s.steps) return [s];
    const inside = without(s.steps, names);
    return inside.length > 0 ? [{ ...s, steps: inside }] : [];
  });
}

// namesOf lists the names of all steps.
export function namesOf(steps: SettingsStep[]): string[] {
  return steps.flatMap((s) => [s.name, ...namesOf(s.steps ?? [])]);
}
