// Where rewrites and decisions lie in the texts of the page.

import type { Decision, Place, Rewrite } from "../wire";

// Item is a rewrite or a decision of a step under the key that links carry: "3" for the third rewrite, "d3" for the third decision.
export interface Item {
  key: string;
  name: string;
  before: Place[];
  after: Place[];
  decision: Decision | null;
  from: string[];
  func: string;
}

export function ofRewrite(r: Rewrite, i: number): Item {
  return { key: String(i + 1), name: r.name, before: r.before ?? [], after: r.after ?? [], decision: null, from: r.from ?? [], func: r.func ?? "" };
}

export function ofDecision(d: Decision, i: number): Item {
  return { key: `d${i + 1}`, name: d.rule, before: d.place ? [d.place] : [], after: [], decision: d, from: d.from ?? [], func: d.func ?? "" };
}

// Ranges are lines of the text before the step and of that after it, both ends included.
export interface Ranges {
  before: [number, number][];
  after: [number, number][];
}

// ranges returns the lines of an item in a function. Where the step left the function as it was, both texts are one.
export function ranges(item: Item, fn: string, changed: boolean): Ranges {
  const of = (list: Place[]): [number, number][] => list.filter((p) => p.func === fn && p.line).map((p) => [p.line!, p.end_line ?? p.line!]);
  const before = of(item.before);
  const after = of(item.after);
  return changed ? { before, after } : { before: [], after: [...before, ...after] };
}

// Target is the place that an item leads to.
export interface Target {
  fn: string;
  line: number;
  before: boolean;
}

// target returns the first place of an item that stands in a text: what came before what went, null where none does.
export function target(item: Item, changed: (fn: string) => boolean): Target | null {
  for (const [list, before] of [[item.after, false], [item.before, true]] as const) {
    const p = list.find((x) => x.line && x.func);
    if (p) return { fn: p.func!, line: p.line!, before: before && changed(p.func!) };
  }
  return null;
}
