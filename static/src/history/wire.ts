// What the server says about what became of something, and the words and marks for it.

import type { Entry, Level, Verb } from "../wire.gen";

export type { Entry, History, Left, Level, LifePlace, Marks, Root, Verb } from "../wire.gen";

// signs are the letters of the verbs; shape and colour come from the style sheet.
export const signs: Record<Verb, string> = {
  born: "B", rewritten: "R", fused: "F", split: "S", lowered: "L", dropped: "−", folded: "C", died: "✕", same: "=",
};

export const words: Record<Verb, string> = {
  born: "born", rewritten: "rewritten", fused: "fused", split: "split", lowered: "lowered", dropped: "part removed", folded: "folded to constants", died: "died", same: "unchanged",
};

export const kinds: Record<string, string> = {
  f: "Relax function", b: "value", k: "kernel", g: "code", u: "buffer", B: "block", l: "loop", s: "store", p: "parameter", c: "constant", h: "shape", m: "memory",
};

// touched are the levels that a step changed something on.
export function touched(e: Entry): Set<Level> {
  const to = e.to ?? [];
  return new Set((to.length > 0 ? to : (e.from ?? [])).map((p) => p.level));
}
