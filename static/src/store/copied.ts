// What a selection of rows stands for: the printed text, in whatever form it is shown.

import { type Cell, cellsOf, exactly, partAt, textOf } from "./cells";
import type { Source } from "./source";

// End is an end of a selection: a column in a cell of a row; Infinity is behind the last.
export interface End {
  row: number;
  cell: number;
  at: number;
}

// textBetween is the printed text between two ends, of the cells in which the selection began; null where rows are missing. What folds
// hide is not part of it.
export function textBetween(source: Source, from: End, to: End): string | null {
  const lines: string[] = [];
  for (let i = from.row; i <= to.row; i++) {
    const row = source.get(i);
    if (!row) return null;
    if (row.kind === "fold") continue;
    if (row.kind === "head") {
      lines.push(row.title);
      continue;
    }
    const cell = cellsOf(row, source.split)[source.split ? from.cell : 0];
    if (!cell) continue;
    const whole = textOf(cell).length;
    const start = i === from.row ? Math.min(from.at, whole) : 0;
    const end = i === to.row && (!source.split || to.cell === from.cell) ? Math.min(to.at, whole) : whole;
    lines.push(piece(cell, start, end, whole));
  }
  return lines.join("\n");
}

// piece is what columns start to end of a cell stand for, and up to the end of the cell what is printed behind that.
function piece(cell: Cell, start: number, end: number, whole: number): string {
  const { compact } = cell;
  return exactly(cell, start, end) + (compact && end >= whole && whole > 0 ? compact.exact.slice(partAt(compact, whole).to) : "");
}
