// What the keys of a session's page do, in words. It is loaded with the help and the palette.

import type { View } from "../views/view";
import type { Keys } from "./keys";

// KeyDoc is a key, what it does in words, and what does it.
export interface KeyDoc {
  key: string;
  doc: string;
  run(): void;
}

const views = "views";

const docs: ([key: string, doc: string] | typeof views)[] = [
  ["j", "next changed pass"],
  ["k", "previous changed pass"],
  ["J", "next pass"],
  ["K", "previous pass"],
  ["n", "next hunk"],
  ["p", "previous hunk"],
  ["u", "unified or side by side"],
  views,
  ["V", "keep the selected pass as a column"],
  [".", "what became of the value, line, kernel, or node: its history"],
  ["i", "inspector: the pass, the value, notes, source"],
  ["l", "the lesson, or the passes in its place"],
  ["[", "fold the passes"],
  ["]", "fold the inspector"],
  ["\\", "fold both: the code alone"],
  ["T", "timeline"],
  ["y", "why: what the pass did at the chosen line or the hunk, or why it did not"],
  [")", "next rewrite of the pass"],
  ["(", "previous rewrite of the pass"],
  ["}", "next decision of the pass: why it did not do something"],
  ["{", "previous decision of the pass"],
  ["z", "lines of Relax functions shortened, or as printed"],
  ["Alt+Z", "break long lines, or not"],
  ["w", "highlight the words that differ"],
  ["x", "turn the pass off or on"],
  ["a", "add a pass after the selected one"],
  ["o", "options of the pass"],
  ["r", "run"],
  ["=", "compare this run with the one shown before it, or with another session"],
  ["c", "add a note on the pass and line"],
  [">", "next note: a tour of them"],
  ["<", "previous note"],
  ["S", "present this session: whoever looks at it follows; or stop"],
  ["W", "watch the presenter, or look around"],
  ["A", "large type, for a projector"],
  ["E", "write a pass"],
  ["e", "edit the IR after the pass and continue from there"],
  ["d", "schedule the kernel: change its loops by primitives"],
  ["t", "show lines that are only renamed or moved as such"],
  ["M", "to the other place of a line that moved"],
  ["f", "functions of the pass"],
  ["F", "filter the passes"],
  ["/", "search all passes of the run"],
  ["?", "keys and signs of the page"],
];

// describe lists the keys that the page has, in an order for readers. A key without words is an error of the page.
export function describe(keys: Keys, all: readonly View[]): KeyDoc[] {
  const rows = docs.flatMap((d) => (d === views ? all.flatMap((v) => (v.key ? [[v.key.key, v.key.doc] as const] : [])) : [d]));
  const missing = Object.keys(keys).filter((key) => !rows.some(([k]) => k === key));
  if (missing.length > 0) throw new Error(`nothing says what the keys ${missing.join(" ")} do`);
  return rows.filter(([key]) => Object.hasOwn(keys, key)).map(([key, doc]) => ({ key, doc, run: keys[key]! }));
}
