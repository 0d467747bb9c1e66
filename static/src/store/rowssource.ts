// Rows that are all there: the difference of texts that the server does not keep.

import type { Row, Side, Source } from "./source";
import type { DiffPage } from "../wire";

export class RowsSource implements Source {
  readonly split = false;
  readonly total: number;
  readonly digits: number;
  private readonly rows: Row[];
  private readonly runs: { row: number; rows: number }[];

  // A fold cannot be opened: there is nothing to open it with, so its row says what it hides and is no button.
  constructor(page: DiffPage) {
    this.rows = page.rows.map((r): Row => (r.kind === "fold" && r.fold ? { kind: "head", title: `⋯ ${r.fold.lines} unchanged line${r.fold.lines === 1 ? "" : "s"}` } : r));
    if (page.total > page.rows.length) this.rows.push({ kind: "head", title: `⋯ ${page.total - page.rows.length} more rows` });
    this.total = this.rows.length;
    this.digits = String(Math.max(1, page.lines_before, page.lines_after)).length;
    this.runs = page.hunks.map(({ row, rows }) => ({ row, rows }));
  }

  hunks(): { row: number; rows: number }[] {
    return this.runs;
  }

  get(i: number): Row | undefined {
    return this.rows[i];
  }

  load(): Promise<boolean> {
    return Promise.resolve(false);
  }

  rowOfLine(line: number, side: Side = "after"): Promise<number> {
    return Promise.resolve(this.rows.findIndex((r) => r[side] === line));
  }
}
