// Moving, adding and removing steps. Nothing here changes what it is given; steps that stay are the same objects.

import type { SettingsStep } from "../wire";

// At is the place of a step: the numbers from 0 of the sequences around it and its own.
export type At = number[];

// atOf returns the place of the step with a number such as 1.10.2; null where that is none of the pipeline.
export function atOf(number: string): At | null {
  if (!/^1(\.\d+)*$/.test(number)) return null;
  return number.split(".").slice(1).map((n) => Number(n) - 1);
}

export function find(steps: SettingsStep[], at: At): SettingsStep | undefined {
  let step: SettingsStep | undefined;
  let inside: SettingsStep[] | undefined = steps;
  for (const i of at) {
    step = inside?.[i];
    inside = step?.steps;
  }
  return step;
}

// change returns steps with the list around a place changed.
function change(steps: SettingsStep[], at: At, f: (list: SettingsStep[], i: number) => SettingsStep[]): SettingsStep[] {
  const [i = 0, ...rest] = at;
  if (rest.length === 0) return f(steps, i);
  return steps.map((s, k) => (k === i ? { ...s, steps: change(s.steps ?? [], rest, f) } : s));
}

export function insert(steps: SettingsStep[], at: At, step: SettingsStep): SettingsStep[] {
  return change(steps, at, (list, i) => [...list.slice(0, i), step, ...list.slice(i)]);
}

export function replace(steps: SettingsStep[], at: At, step: SettingsStep): SettingsStep[] {
  return change(steps, at, (list, i) => list.map((s, k) => (k === i ? step : s)));
}

// remove takes a step out, and sequences that lose their last one.
export function remove(steps: SettingsStep[], at: At): SettingsStep[] {
  return prune(change(steps, at, (list, i) => list.filter((_, k) => k !== i)));
}

// move puts the step at a place before what is at another, as numbered before the move; null where that is inside of the step.
export function move(steps: SettingsStep[], from: At, to: At): SettingsStep[] | null {
  const step = find(steps, from);
  if (!step || from.every((n, k) => to[k] === n)) return step && from.length === to.length ? steps : null;
  const last = from.length - 1;
  const later = to.length > last && from.slice(0, last).every((n, k) => to[k] === n) && to[last]! > from[last]!;
  const there = later ? to.map((n, k) => (k === last ? n - 1 : n)) : to;
  const without = change(steps, from, (list, i) => list.filter((_, k) => k !== i));
  return prune(insert(without, there, step));
}

function prune(steps: SettingsStep[]): SettingsStep[] {
  return steps.flatMap((s) => {
    if (!s.steps) return [s];
    const inside = prune(s.steps);
    if (inside.length === 0) return [];
    return [inside.length === s.steps.length && inside.every((x, i) => x === s.steps![i]) ? s : { ...s, steps: inside }];
  });
}

// pathOf returns the path of a step, which is found as the object that it is.
export function pathOf(steps: SettingsStep[], wanted: SettingsStep, above = "1"): string {
  for (const [i, s] of steps.entries()) {
    const number = `${above}.${i + 1}`;
    const path = s === wanted ? `${number}/${s.name}` : pathOf(s.steps ?? [], wanted, number);
    if (path) return path;
  }
  return "";
}

// count tells how often a pass stands in steps.
export function count(steps: SettingsStep[], name: string): number {
  return steps.reduce((n, s) => n + (s.name === name ? 1 : 0) + count(s.steps ?? [], name), 0);
}

// withOption returns a step with an option set; undefined is its default.
export function withOption(step: SettingsStep, option: string, v: unknown): SettingsStep {
  const options = { ...step.options };
  if (v === undefined) delete options[option];
  else options[option] = v;
  const { options: _, ...rest } = step;
  return Object.keys(options).length > 0 ? { name: step.name, options, ...(step.steps ? { steps: step.steps } : {}) } : rest;
}

// same tells whether two places are one.
export function same(a: At, b: At): boolean {
  return a.length === b.length && a.every((n, i) => b[i] === n);
}

// within tells whether a place is another or inside of it.
export function within(at: At, around: At): boolean {
  return around.every((n, i) => at[i] === n);
}

// where says in words where a step stands.
export function where(steps: SettingsStep[], path: string): string {
  const at = atOf(path.split("/", 1)[0]!)!;
  const i = at.at(-1)!;
  const around = at.slice(0, -1);
  const list = around.length > 0 ? (find(steps, around)?.steps ?? []) : steps;
  const inside = around.length > 0 ? ` in ${find(steps, around)!.name}` : "";
  const after = i > 0 ? `after ${list[i - 1]!.name}` : `before ${list[1]?.name ?? "all"}`;
  return `is now ${after}, ${i + 1} of ${list.length}${inside}`;
}
