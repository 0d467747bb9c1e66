// What the rows of a source say about lines of the two texts: what is shown of each, and which columns of the printed line that stands
// for. A compact line is another form of a printed one; names, links and copies are of the printed one.

import type { Row, Side } from "./source";
import type { CompactLine, Span } from "../wire";

// Cell is a line as a row shows it.
export interface Cell {
  side: Side;
  line: number;
  spans: Span[];
  // compact is there where the line is not shown as printed.
  compact: CompactLine | undefined;
}

// cellsOf lists the cells of a row, in the order of its elements: two of a split row, of which one may be empty.
export function cellsOf(row: Row, split: boolean): (Cell | null)[] {
  if (row.kind === "head" || row.kind === "fold") return [];
  const cell = (side: Side, spans: Span[] | undefined, compact: CompactLine | undefined): Cell | null => (spans ? { side, line: row[side] ?? 0, spans, compact } : null);
  if (!split) return [cell(row.kind === "del" ? "before" : "after", row.text ?? [], row.compact)];
  return [
    row.kind === "add" ? null : cell("before", row.left ?? row.text ?? [], row.left ? row.left_compact : row.compact),
    row.kind === "del" ? null : cell("after", row.right ?? row.text ?? [], row.right ? row.right_compact : row.compact),
  ];
}

// textOf is what a cell shows, and printed the line that it stands for.
export function textOf(cell: Cell): string {
  return cell.spans.map((s) => s[1]).join("");
}

export function printed(cell: Cell): string {
  return cell.compact ? cell.compact.exact : textOf(cell);
}

// Part is a stretch of a compact line, and what it stands for.
export interface Part {
  at: number;
  end: number;
  from: number;
  to: number;
}

// partAt is the part that shows a column of a compact line, the last one for the end of the line.
export function partAt(c: CompactLine, at: number): Part {
  let start = 0;
  for (let i = 0; ; i += 3) {
    const [end = 0, from = 0, to = 0] = c.columns.slice(i, i + 3);
    if (at < end || i + 3 >= c.columns.length) return { at: start, end, from, to };
    start = end;
  }
}

// exactly is what columns start to end of a cell stand for, as printed: all of what is shown shorter, even where only a piece of it
// is meant.
export function exactly(cell: Cell, start: number, end: number): string {
  const c = cell.compact;
  if (!c) return textOf(cell).slice(start, end);
  if (start >= end) return "";
  const first = partAt(c, start);
  const last = partAt(c, end - 1);
  const from = same(first) ? first.from + start - first.at : first.from;
  const to = same(last) ? last.from + end - last.at : last.to;
  return c.exact.slice(from, Math.max(from, to));
}

// shownAt is the columns of a cell that show columns from to of the printed line; empty where they are not shown.
export function shownAt(cell: Cell, from: number, to: number): [start: number, end: number] {
  const c = cell.compact;
  if (!c) return [from, to];
  let start = -1;
  let end = -1;
  for (let at = 0; at < (c.columns.at(-3) ?? 0); ) {
    const p = partAt(c, at);
    if (p.from < to && p.to > from) {
      if (start < 0) start = same(p) ? p.at + Math.max(0, from - p.from) : p.at;
      end = same(p) ? Math.min(p.end, p.at + to - p.from) : p.end;
    }
    at = p.end;
  }
  return start < 0 ? [0, 0] : [start, end];
}

// units turns an offset in bytes of UTF-8 into one in the units of a text.
export function units(text: string, bytes: number): number {
  let left = bytes;
  let at = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (left < 0) break;
    at += char.length;
  }
  return at;
}

// same tells whether a part shows text as it is printed.
function same(p: Part): boolean {
  return p.end - p.at === p.to - p.from;
}

// Word is a name in a cell: as it is shown, and in full.
export interface Word {
  start: number;
  end: number;
  shown: string;
  full: string;
}

const word = /[\p{L}_][\p{L}\p{N}_]*/gu;

// wordsOf lists the words of a cell.
export function wordsOf(cell: Cell): Word[] {
  return [...textOf(cell).matchAll(word)].map((m) => {
    const end = m.index + m[0].length;
    return { start: m.index, end, shown: m[0], full: exactly(cell, m.index, end) };
  });
}
