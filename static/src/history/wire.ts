// What the server says about what became of something, and the words and marks for it.

export type Verb = "born" | "rewritten" | "fused" | "split" | "lowered" | "dropped" | "folded" | "died" | "same";
export type Level = "graph" | "loops" | "code";

export interface Root {
  id: number;
  name: string;
  op: string;
  line?: number;
}

export interface LifePlace {
  function: string;
  line: number;
  kind: string;
  name: string;
  op?: string;
  level: Level;
}

export interface Left {
  graph?: number;
  loops?: number;
  code?: number;
  params?: number;
  ports?: number;
  constants?: number;
  shapes?: number;
  memory?: number;
}

export interface Entry {
  path: string;
  pass: string;
  verb: Verb;
  from?: LifePlace[];
  to?: LifePlace[];
  with?: Root[];
  more?: number;
  left: Left;
  unknown?: number;
}

export interface History {
  at?: LifePlace;
  roots: Root[];
  more?: number;
  tensor?: boolean;
  entries: Entry[];
  cut?: string[];
  sealed: boolean;
}

export interface Marks {
  marks: { line: number; kind: string; name: string }[];
  more?: number;
}

export const codePath = "code";

// signs are the letters of the verbs; shape and colour come from the style sheet.
export const signs: Record<Verb, string> = {
  born: "B", rewritten: "R", fused: "F", split: "S", lowered: "L", dropped: "−", folded: "C", died: "✕", same: "=",
};

export const words: Record<Verb, string> = {
  born: "born", rewritten: "rewritten", fused: "fused", split: "split", lowered: "lowered", dropped: "a part is gone", folded: "folded to constants", died: "died", same: "unchanged",
};

export const kinds: Record<string, string> = {
  f: "graph function", b: "value", k: "kernel", g: "code", u: "buffer", B: "block", l: "loop", s: "store", p: "parameter", c: "constant", h: "shape", m: "memory",
};

// touched are the levels that a step changed something on.
export function touched(e: Entry): Set<Level> {
  const to = e.to ?? [];
  return new Set((to.length > 0 ? to : (e.from ?? [])).map((p) => p.level));
}
