// The difference of two texts, laid out by the server, as a source of rows. Folds open in place.

import { api, type DiffQuery } from "./api";
import { Pages, windowSize } from "./pages";
import type { Side, Source } from "./source";
import type { DiffRow, FunctionChange, Span } from "../wire";

interface Opened {
  at: number; // the fold's row in the folded view
  from: number; // its first row in the view without folding
  count: number;
}

// DiffSource shows the difference of two texts.
export class DiffSource implements Source {
  readonly split: boolean;
  readonly digits: number;
  private readonly folded: Pages<DiffRow>;
  private readonly full: Pages<DiffRow>;
  private opened: Opened[] = []; // sorted by place

  private constructor(query: DiffQuery, private readonly base: number, private readonly marks: { row: number; rows: number; before: number; after: number }[], lines: number) {
    this.split = query.view === "split";
    this.digits = String(Math.max(lines, 1)).length;
    const pages = (context: number | "all"): Pages<DiffRow> =>
      new Pages(async (from, count) => (await api.diff({ ...query, context }, from, count)).rows);
    this.folded = pages(query.context);
    this.full = pages("all");
  }

  static async open(query: DiffQuery, signal: AbortSignal): Promise<DiffSource> {
    const page = await api.diff(query, 0, windowSize, signal);
    const src = new DiffSource(query, page.total, page.hunks, Math.max(page.lines_before, page.lines_after));
    src.folded.put(0, page.rows);
    return src;
  }

  // fromHunks shows the hunks of an event, for when the server has no texts any more.
  static fromHunks(c: FunctionChange): DiffSource | null {
    if (!c.hunks) return null;
    const rows: DiffRow[] = [];
    const marks: { row: number; rows: number; before: number; after: number }[] = [];
    for (const hunk of c.hunks) {
      let { before, after } = hunk;
      marks.push({ row: rows.length, rows: hunk.lines.length, before, after });
      for (const [i, line] of hunk.lines.entries()) {
        const text: Span[] = [["", line.slice(1)]];
        const sign = hunk.marks?.[i];
        const mark = sign === "~" ? { mark: "renamed" as const } : sign === ">" ? { mark: "moved" as const } : {};
        if (line[0] === "-") rows.push({ kind: "del", before: before++, text, ...mark });
        else if (line[0] === "+") rows.push({ kind: "add", after: after++, text, ...mark });
        else rows.push({ kind: "same", before: before++, after: after++, text });
      }
    }
    const src = new DiffSource({ before: "", after: "", view: "unified", form: "exact", context: 3 }, rows.length, marks, Math.max(c.lines_before, c.lines_after));
    src.folded.put(0, rows);
    return src;
  }

  get total(): number {
    return this.opened.reduce((n, o) => n + o.count - 1, this.base);
  }

  get(i: number): DiffRow | undefined {
    const place = this.place(i);
    return place.full ? this.full.get(place.row) : this.folded.get(place.row);
  }

  hunks(): { row: number; rows: number }[] {
    return this.marks.map((m) => ({ row: this.visible(m.row), rows: m.rows }));
  }

  async load(from: number, to: number): Promise<boolean> {
    const waits: Promise<boolean>[] = [];
    let i = from;
    while (i < Math.min(to, this.total)) {
      const start = this.place(i);
      let end = i + 1;
      while (end < to && this.place(end).full === start.full && this.place(end).row === start.row + end - i) end++;
      waits.push((start.full ? this.full : this.folded).load(start.row, start.row + end - i));
      i = end;
    }
    return (await Promise.all(waits)).includes(true);
  }

  // open unfolds the fold at row i; it resolves to the number of rows that appeared.
  async open(i: number): Promise<number> {
    const row = this.get(i);
    const place = this.place(i);
    if (row?.kind !== "fold" || !row.fold || place.full) return 0;
    const { from, count } = row.fold;
    await this.full.load(from, from + Math.min(count, windowSize));
    if (this.opened.some((o) => o.at === place.row)) return 0;
    this.opened = [...this.opened, { at: place.row, from, count }].sort((a, b) => a.at - b.at);
    return count;
  }

  async rowOfLine(line: number, side: Side = "after"): Promise<number> {
    let mark = -1;
    for (let k = 0; k < this.marks.length; k++) if (this.marks[k]![side] <= line) mark = k;
    const from = mark < 0 ? 0 : this.marks[mark]!.row;
    const to = Math.min(this.base, mark + 1 < this.marks.length ? this.marks[mark + 1]!.row : this.base);
    await this.folded.load(from, to);
    for (let r = from; r < to; r++) if (this.folded.get(r)?.[side] === line) {
      const row = this.folded.get(r)!;
      if (row.kind !== "fold") return this.visible(r);
    }
    for (let r = from; r < to; r++) {
      const row = this.folded.get(r);
      const first = row?.[side];
      if (row?.kind !== "fold" || !row.fold || !first || line < first || line >= first + row.fold.lines) continue;
      await this.open(this.visible(r));
      // A line that differs in its indentation has a row on each side in the unified view, the earlier text first.
      const each = row.fold.count / row.fold.lines;
      return this.visible(r) + each * (line - first) + (each > 1 && side === "after" ? 1 : 0);
    }
    return -1;
  }

  // visible turns a row of the folded view into the row that is shown.
  private visible(row: number): number {
    let shift = 0;
    for (const o of this.opened) if (o.at < row) shift += o.count - 1;
    return row + shift;
  }

  // place turns a row that is shown into a row of the folded view or of the view without folding.
  private place(i: number): { full: boolean; row: number } {
    let shift = 0;
    for (const o of this.opened) {
      const first = o.at + shift;
      if (i < first) break;
      if (i < first + o.count) return { full: true, row: o.from + i - first };
      shift += o.count - 1;
    }
    return { full: false, row: i - shift };
  }
}
