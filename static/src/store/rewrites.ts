// Where rewrites and decisions lie in the texts of the page.

import type { Decision, Place, Rewrite, Rewrites } from "../wire";

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

// items lists what a step reports, rewrites first.
export function items(list: Rewrites): Item[] {
  return [...list.rewrites.map(ofRewrite), ...list.decisions.map(ofDecision)];
}

// joined lists items with the reason of a decision at the rewrite that came of it: one of the same name that took what the decision is about.
export function joined(all: Item[]): Item[] {
  const key = (name: string, p: Place): string => JSON.stringify([name, p.func, p.line, p.col, p.text]);
  const taken = new Map(all.flatMap((x) => (x.decision?.taken && x.decision.place ? [[key(x.name, x.decision.place), x] as const] : [])));
  const used = new Set<Item>();
  const out = all.map((x) => {
    const reason = !x.decision && x.before[0] && taken.get(key(x.name, x.before[0]));
    if (!reason) return x;
    used.add(reason);
    return { ...x, decision: reason.decision };
  });
  return out.filter((x) => !used.has(x));
}

// became is what a rewrite made of what, each on a line of its own; "" for what says nothing, such as the first line of a function.
export function became(x: Item): string {
  const first = (list: Place[]): string => (list.length === 1 ? list[0]!.text.split("\n")[0]! : "");
  const before = first(x.before);
  const after = first(x.after);
  if (before.startsWith("@") || after.startsWith("@")) return "";
  return before && after && before !== after ? `${before} → ${after}` : after || before || (x.after[0] ?? x.before[0])?.text.split("\n")[0] || "";
}

// Excerpt is a line of the text of a function on one side of a step.
export interface Excerpt {
  fn: string;
  side: "before" | "after";
  line: number;
}

// ExcerptLine is a line of what went ("-"), of what came ("+"), or of what is there all the same. part tells that only a part of the line is
// meant.
export interface ExcerptLine extends Excerpt {
  sign: "-" | "+" | "";
  part: boolean;
}

// excerpt lists the first lines of the places of an item, each once, as far as they are in a text. Where both sides print the same there
// is nothing to compare: these lines have no sign. Whole functions are no lines that an item is about.
export function excerpt(x: Item, printed: (l: Excerpt) => string | undefined): ExcerptLine[] {
  const of = (list: Place[], side: "before" | "after"): ExcerptLine[] => {
    const lines = new Map<string, ExcerptLine>();
    for (const p of list) {
      if (!p.func || !p.line || p.text.startsWith("@")) continue;
      const at = { fn: p.func, side, line: p.line };
      const indent = printed(at)?.search(/\S/) ?? 0;
      const key = `${p.func} ${p.line}`;
      const part = (p.col ?? 1) > indent + 1;
      lines.set(key, { ...at, sign: side === "before" ? "-" : "+", part: part && (lines.get(key)?.part ?? true) });
    }
    return [...lines.values()].sort((a, b) => a.line - b.line);
  };
  const before = of(x.before, "before");
  const after = of(x.after, "after");
  const text = (list: ExcerptLine[]): string => list.map((l) => printed(l)?.trim() ?? "").join("\n");
  const alike = text(after) !== "" && text(before) === text(after);
  const asked = x.key.startsWith("d"); // a decision is about what is there, whatever it is
  if (alike || asked) return (alike ? after : before).map((l) => ({ ...l, sign: "" }));
  return [...before, ...after];
}

// said is an item in words.
export function said(item: Item): string {
  const d = item.decision;
  return d ? `${d.taken ? d.rule : `did not ${d.rule}`}: ${d.reason}` : item.name;
}

// Found is what a step reports about lines: what begins in them, and the closest of what they are in the middle of.
export interface Found {
  here: Item[];
  around: Item[];
}

// mostAround is how many items around lines are said.
const mostAround = 3;

// about finds what a step reports about lines of a function. A rewrite is about the lines at which it took or made something, a decision
// about the line of its place.
export function about(all: Item[], fn: string, lines: Ranges, changed: boolean): Found {
  const begins = (from: number, list: [number, number][]): boolean => list.some(([a, b]) => a <= from && from <= b);
  const contains = ([from, to]: [number, number], list: [number, number][]): boolean => list.some(([a, b]) => from <= a && b <= to);
  const size = (x: Item): number => {
    const r = ranges(x, fn, changed);
    return Math.min(...[...r.before, ...r.after].map(([a, b]) => b - a));
  };
  const here: Item[] = [];
  const around: Item[] = [];
  for (const x of all) {
    const r = ranges(x, fn, changed);
    if (r.before.some(([a]) => begins(a, lines.before)) || r.after.some(([a]) => begins(a, lines.after))) here.push(x);
    else if (r.before.some((p) => contains(p, lines.before)) || r.after.some((p) => contains(p, lines.after))) around.push(x);
  }
  return { here, around: around.sort((a, b) => size(a) - size(b)).slice(0, mostAround) };
}

// Reason is what a step decided for one reason, wherever it did.
export interface Reason {
  rule: string;
  taken: boolean;
  reason: string;
  // count is how often, and first where at first.
  count: number;
  first: Item;
}

// reasons lists what a step decided in its functions, what it declined first, the most frequent first.
export function reasons(all: Item[]): Reason[] {
  const out = new Map<string, Reason>();
  for (const x of all) {
    const d = x.decision;
    if (!d) continue;
    const key = JSON.stringify([d.rule, d.taken, d.reason]);
    const known = out.get(key);
    if (known) known.count++;
    else out.set(key, { rule: d.rule, taken: d.taken, reason: d.reason, count: 1, first: x });
  }
  return [...out.values()].sort((a, b) => Number(a.taken) - Number(b.taken) || b.count - a.count);
}

// spanOf is the lines that rows of a diff show, as one stretch of each text.
export function spanOf(rows: { before?: number; after?: number }[]): Ranges {
  const span = (list: (number | undefined)[]): [number, number][] => {
    const lines = list.filter((n) => n !== undefined);
    return lines.length > 0 ? [[lines.reduce((a, b) => Math.min(a, b)), lines.reduce((a, b) => Math.max(a, b))]] : [];
  };
  return { before: span(rows.map((r) => r.before)), after: span(rows.map((r) => r.after)) };
}

// Hunk is where a run of changes begins in both texts.
interface Hunk {
  row: number;
  rows: number;
  before: number;
  after: number;
}

// across finds the last hunk that begins at or before a line of one text, null for none, and the number that the line has in the other text
// where it lies behind that hunk; if it lies in it, the rows know. Behind the last hunk the texts are tail lines apart.
export function across(hunks: Hunk[], tail: number, line: number, side: "before" | "after"): { line: number; hunk: Hunk | null } {
  const n = hunks.filter((x) => x[side] <= line).length;
  const next = hunks[n];
  const apart = next ? next.before - next.after : tail;
  return { line: side === "after" ? line + apart : line - apart, hunk: hunks[n - 1] ?? null };
}
