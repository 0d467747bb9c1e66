// Notes as the page orders them.

import { importPath, type RunModel } from "./model";
import type { Note } from "../wire";

// concerns tells whether a note is on a run.
export function concerns(n: Note, run: string): boolean {
  return !n.run || n.run === run;
}

// inOrder sorts notes as a reader goes through them: those of the run in the order of its steps, then those of other runs.
export function inOrder(notes: readonly Note[], model: RunModel): Note[] {
  if (notes.length < 2) return [...notes]; // a run may have very many steps
  const order = new Map([...model.steps.keys()].map((path, i) => [path, i]));
  const rank = (n: Note): number => (concerns(n, model.id) ? (n.step === importPath ? -1 : (order.get(n.step ?? "") ?? 1e6)) : 1e7);
  return [...notes].sort((a, b) => rank(a) - rank(b) || (a.function ?? "").localeCompare(b.function ?? "") || (a.line ?? 0) - (b.line ?? 0));
}

// beside is the note after (1) or before (-1) another one in their order; the first or the last where there is no such note, null at the ends.
export function beside(sorted: readonly Note[], id: string, dir: 1 | -1): Note | null {
  const at = sorted.findIndex((n) => n.id === id);
  return sorted[at < 0 ? (dir > 0 ? 0 : sorted.length - 1) : at + dir] ?? null;
}
