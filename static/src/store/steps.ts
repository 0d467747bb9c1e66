// Explicit steps of a pipeline, as settings hold them. Nothing here changes what it is given.

import { json } from "./api";
import { importPath, type RunModel, type Step } from "./model";
import type { PlanStep, Script, Settings, SettingsStep } from "../wire";

// userPrefix stands before the names of passes that users wrote.
export const userPrefix = "user.";

// editPrefix stands before the step in the names of the steps that apply edits of the IR.
export const editPrefix = "edit.";

// schedulePrefix stands before the kernel in the names of the steps that apply schedules of users.
export const schedulePrefix = "schedule.";

// Pipelines knows what the named pipelines hold. A step may name one of them, which then stands for a sequence of its steps.
export class Pipelines {
  private readonly inside = new Map<string, SettingsStep[]>();

  constructor(readonly list: { name: string; doc: string; steps: PlanStep[] }[]) {
    const names = new Set(list.map((p) => p.name));
    for (const p of list) this.inside.set(p.name, stepsOf(p.steps, names));
  }

  // of returns the steps that settings stand for, each sequence with what it holds.
  of(settings: Settings): SettingsStep[] {
    return settings.steps ? this.expand(settings.steps) : (this.inside.get(settings.pipeline || "default") ?? []);
  }

  // sequence returns what a step that names a pipeline holds; nothing for any other.
  sequence(name: string): { steps: SettingsStep[] } | undefined {
    const steps = this.inside.get(name);
    return steps && { steps };
  }

  // settle returns steps for settings: null where they are those of the named pipeline, and sequences by name alone where they
  // hold what they hold there.
  settle(settings: Settings, steps: SettingsStep[]): SettingsStep[] | null {
    return same(steps, this.inside.get(settings.pipeline || "default")) ? null : this.collapse(steps);
  }

  private expand(steps: SettingsStep[]): SettingsStep[] {
    return steps.map((s) => {
      const inside = s.steps?.length ? this.expand(s.steps) : this.inside.get(s.name);
      return inside ? { ...s, steps: inside } : s;
    });
  }

  private collapse(steps: SettingsStep[]): SettingsStep[] {
    return steps.map((s) => {
      if (!s.steps) return s;
      return same(s.steps, this.inside.get(s.name)) ? { name: s.name } : { name: s.name, steps: this.collapse(s.steps) };
    });
  }
}

// loadPipelines asks for the pipelines of the target that settings choose.
export async function loadPipelines(settings: Settings): Promise<Pipelines> {
  const target = (settings.target ?? "").split(" ", 1)[0]!;
  return new Pipelines((await json<{ pipelines: { name: string; doc: string; steps: PlanStep[] }[] }>(`/api/pipelines?target=${encodeURIComponent(target)}`)).pipelines);
}

function same(a: SettingsStep[], b: SettingsStep[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

// stepsOf returns the steps inside of the outermost one of a plan. Of the sequences only those that names lists are taken apart; the
// others are passes that are made of passes.
function stepsOf(plan: PlanStep[], names: Set<string>): SettingsStep[] {
  const inside = new Map<string, SettingsStep[]>();
  for (const p of plan) {
    const parent = inside.get(p.parent ?? "");
    const steps: SettingsStep[] = [];
    if (!p.parent || (parent && p.kind === "sequential" && names.has(p.name))) inside.set(p.step, steps);
    parent?.push(inside.has(p.step) ? { name: p.name, steps } : { name: p.name });
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
export function put(settings: Settings, pipelines: Pipelines, p: Put): [Partial<Settings>, string] {
  const old = pipelines.of(settings);
  const had = namesOf(old);
  const gone = had.filter((name) => name.startsWith(userPrefix) && !p.names.includes(name) && !p.others.includes(name));
  const fresh = p.names.filter((name) => !had.includes(name));
  const steps = without(insertAfter(old, gone[0] ? pathOf(old, gone[0]) : p.after, fresh), gone);
  const all = settings.scripts ?? [];
  const scripts = p.saved ? all.map((s) => (s.name === p.saved ? p.script : s)) : [...all, p.script];
  return [{ scripts, steps: pipelines.settle(settings, steps) }, fresh[0] ?? p.names[0] ?? ""];
}

// take returns what changes where a script goes that defines the passes names.
export function take(settings: Settings, pipelines: Pipelines, script: string, names: string[]): Partial<Settings> {
  return {
    scripts: (settings.scripts ?? []).filter((s) => s.name !== script),
    steps: pipelines.settle(settings, without(pipelines.of(settings), names)),
    disabled: (settings.disabled ?? []).filter((name) => !names.includes(name)),
  };
}

// afterOf names a step as edits do: its name, and its number among those of that name where it is not the first. It is "" for a
// step that is not in the plan of the run.
export function afterOf(model: RunModel, step: Step): string {
  if (step.path === importPath) return "import";
  if (step.name.startsWith(editPrefix)) return step.name.slice(editPrefix.length);
  let n = 0;
  for (const p of model.started?.plan ?? []) {
    if (p.step === step.path) return n > 0 ? `${step.name}#${n}` : step.name;
    if (p.name === step.name) n++;
  }
  return "";
}
