// Names at lines of a text, marked wherever the rows show them.

import { cellsOf, wordsOf } from "../store/cells";
import type { Row, Side } from "../store/source";
import type { CodeView } from "./codeview";

// NamesByLine are the names to mark, by line, in each of two texts.
export type NamesByLine = Record<Side, Map<number, Set<string>>>;

export function noNames(): NamesByLine {
  return { before: new Map(), after: new Map() };
}

// byLine sorts marks by their line.
export function byLine(marks: { line: number; name: string }[]): Map<number, Set<string>> {
  const out = new Map<number, Set<string>>();
  for (const m of marks) {
    const names = out.get(m.line) ?? new Set();
    names.add(m.name);
    out.set(m.line, names);
  }
  return out;
}

// markNames has the rows of a text mark the names that of returns when they are drawn.
export function markNames(code: CodeView, of: () => NamesByLine): void {
  code.decorate = (row: Row, el: HTMLElement): [Element, string, number, number][] => {
    if (row.kind === "head" || row.kind === "fold") return [];
    const lines = of();
    if (lines.before.size + lines.after.size === 0) return [];
    const out: [Element, string, number, number][] = [];
    const elements = [...el.querySelectorAll(".tx")];
    cellsOf(row, code.shown?.split ?? false).forEach((cell, k) => {
      const tx = elements[k];
      const names = cell && lines[cell.side].get(cell.line);
      if (!names || !tx?.firstChild) return;
      tx.classList.add("lived");
      for (const w of wordsOf(cell)) if (names.has(w.full)) out.push([tx, "lived", w.start, w.end]);
    });
    return out;
  };
}
