// What an exported page holds of texts and differences, as the server would have sent it. web/export/pack.go writes it: each line is
// stored once, as a cell, and texts and differences are lists of numbers of cells, each less the one before it and 1.

import type { LoopRow, CompactLine, DiffPage, DiffRow, Fold, Form, RowHunk, Span, TextPage } from "../wire";

export interface Packed {
  classes: string[];
  texts: Record<string, { language: string; exact: number[]; compact?: number[] }>;
  diffs: Record<string, PackedDiff>;
  raw: Record<string, string>;
  // loops are rows without their lines, and trees of numbers of rows; a line is that before it and a number.
  loops?: { rows: LoopRow[]; trees: Record<string, { name: string; rows: number[]; lines: number[]; omitted?: number }> };
}

interface PackedDiff {
  added: number;
  removed: number;
  renamed: number;
  moved: number;
  lines: [number, number];
  layouts: Record<string, Layout>;
}

interface Layout {
  hunks: RowHunk[];
  rows: number[];
  folds: (Fold & { rows?: number[] })[];
}

interface Cell {
  text: Span[];
  compact?: CompactLine;
}

// The signs in a cell, as web/export/packcell.go has them.
const firstClass = 0xe000;
const fieldSign = "\uf8f0";
const referenceSign = "\uf8f1";
const escapeSign = "\uf8ff";

const kinds = ["same", "del", "add", "mod", "fold"] as const;
const marks = [undefined, "renamed", "moved", "indented"] as const;
const foldKind = 4;

const base36 = (text: string): number => parseInt(text, 36);

export class Unpacker {
  private readonly read = new Map<number, Cell>();
  // folded are the rows of layouts, by the difference, the view and the form.
  private readonly folded = new Map<string, DiffRow[]>();

  constructor(readonly packed: Packed, private readonly cells: string[]) {}

  // lines are the cells of a text in a form; null for a text that the page lacks.
  lines(name: string, form: Form): number[] | null {
    const t = this.packed.texts[name];
    return t ? numbers((form === "compact" && t.compact) || t.exact) : null;
  }

  // cell reads a line.
  cell(i: number): Cell {
    let c = this.read.get(i);
    if (!c) {
      c = this.parse(this.cells[i]!);
      this.read.set(i, c);
    }
    return c;
  }

  // printed is the text of a line.
  printed(i: number): string {
    return join(this.cell(i).text);
  }

  text(name: string, form: Form, from: number, count: number): TextPage | null {
    const lines = this.lines(name, form);
    if (!lines) return null;
    const shown = lines.slice(from - 1, from - 1 + count).map((i) => this.cell(i));
    return {
      hash: name, language: this.packed.texts[name]!.language, lines: lines.length, from, form, rows: shown.map((c) => c.text),
      ...(form === "compact" ? { compact: shown.map((c) => c.compact ?? null) as CompactLine[] } : {}),
    };
  }

  diff(before: string, after: string, view: "unified" | "split", form: Form, context: number | "all", from: number, count: number): DiffPage | null {
    const d = this.packed.diffs[`${before}/${after}`];
    if (!d) return null;
    const layout = d.layouts[`${view} ${form}`] ?? d.layouts[`${view} exact`]!;
    const key = [before, after, view, form, context].join(" ");
    let rows = this.folded.get(key);
    if (!rows) {
      rows = this.rows(layout, form, before, context === "all");
      this.folded.set(key, rows);
    }
    return {
      before, after, view, form, context, added: d.added, removed: d.removed, renamed: d.renamed, moved: d.moved, lines_before: d.lines[0], lines_after: d.lines[1],
      total: rows.length, from, hunks: context === "all" ? [] : layout.hunks, more_hunks: false, rows: rows.slice(from, from + count),
    };
  }

  // rows makes the rows of a layout, with what its folds hide in their place where all is asked for.
  private rows(layout: Layout, form: Form, before: string, all: boolean): DiffRow[] {
    const out: DiffRow[] = [];
    const lines = this.lines(before, form) ?? [];
    const folds = [...layout.folds];
    const at = { x: 1, y: 1 };
    const add = (packed: number[]): void => {
      let last = -1;
      let i = 0;
      const cell = (): Cell => this.cell((last += packed[i++]! + 1));
      while (i < packed.length) {
        const code = packed[i++]!;
        const kind = kinds[code & 7]!;
        if (kind === kinds[foldKind]) {
          const { rows, ...fold } = folds.shift()!;
          if (!all) {
            out.push({ kind, before: at.x, after: at.y, fold });
            at.x += fold.lines;
            at.y += fold.lines;
          } else if (rows) add(rows);
          else for (const n of lines.slice(at.x - 1, at.x - 1 + fold.lines)) out.push({ kind: "same", before: at.x++, after: at.y++, ...this.cell(n) });
          continue;
        }
        const row: DiffRow = { kind, ...(kind === "add" ? {} : { before: at.x++ }), ...(kind === "del" ? {} : { after: at.y++ }) };
        if (kind === "mod") {
          const [left, right] = [cell(), cell()];
          Object.assign(row, { left: left.text, left_compact: left.compact, right: right.text, right_compact: right.compact });
        } else Object.assign(row, cell());
        const mark = marks[code >> 3];
        if (mark) Object.assign(row, { mark, other: packed[i++] });
        out.push(row);
      }
    };
    add(layout.rows);
    return out;
  }

  private parse(text: string): Cell {
    const [main, type, exact, columns] = text.split(fieldSign) as [string, string?, string?, string?];
    const spans = main.startsWith(referenceSign) ? this.marked(main.slice(1)) : this.spans(main);
    if (exact === undefined) return { text: spans };
    return { text: spans, compact: { ...(type ? { type: this.spans(type) } : {}), exact: this.printed(base36(exact)), columns: sums(columns!) } };
  }

  // marked reads a line that is marked between pairs of columns.
  private marked(text: string): Span[] {
    const [of, ...flips] = text.split(" ").map(base36) as [number, ...number[]];
    const out: Span[] = [];
    let at = 0;
    let mark = false;
    for (const [cls, whole] of this.cell(of).text) {
      for (let rest = whole; rest !== ""; ) {
        while (flips[0] === at) {
          mark = !mark;
          flips.shift();
        }
        const n = Math.min(rest.length, (flips[0] ?? Infinity) - at);
        out.push(mark ? [cls, rest.slice(0, n), 1] : [cls, rest.slice(0, n)]);
        rest = rest.slice(n);
        at += n;
      }
    }
    return out;
  }

  private spans(text: string): Span[] {
    const out: Span[] = [];
    let cls = "";
    let mark = false;
    let run = "";
    const end = (): void => {
      if (run) out.push(mark ? [cls, run, 1] : [cls, run]);
      run = "";
    };
    for (let i = 0; i < text.length; i++) {
      if (text[i] === escapeSign) run += text[++i] ?? "";
      else if (text[i]! >= "\ue000" && text[i]! <= escapeSign) {
        end();
        const n = text.charCodeAt(i) - firstClass;
        cls = this.packed.classes[n >> 1] ?? "";
        mark = n % 2 === 1;
      } else run += text[i];
    }
    end();
    return out;
  }
}

function join(spans: Span[]): string {
  return spans.map((s) => s[1]).join("");
}

// numbers adds up numbers that are each less the one before and 1.
function numbers(list: number[]): number[] {
  let last = -1;
  return list.map((n) => (last += n + 1));
}

// sums reads the columns of a compact line: of each part where it ends, and where what it stands for begins and ends.
function sums(text: string): number[] {
  const out: number[] = [];
  const list = text === "" ? [] : text.split(" ").map(base36);
  let end = 0;
  let to = 0;
  for (let i = 0; i + 2 < list.length; i += 3) {
    end += list[i]!;
    const from = to + list[i + 1]!;
    to = from + list[i + 2]!;
    out.push(end, from, to);
  }
  return out;
}
