// What the view of code asks of rows that are fetched in windows as they come into view.

import type { DiffRow } from "../wire";

export type Row = DiffRow | { kind: "head"; title: string; before?: undefined; after?: undefined };

// Side is one of the two texts of a diff.
export type Side = "before" | "after";

export interface Source {
  // total is the number of rows now; it grows when a fold opens.
  readonly total: number;
  readonly split: boolean;
  // digits is the width of the line numbers.
  readonly digits: number;
  // hunks are the row and length of each run of changes.
  hunks(): { row: number; rows: number }[];
  // get returns a row if it is there.
  get(i: number): Row | undefined;
  // load fetches rows [from, to) that are not there; it resolves to true where something came.
  load(from: number, to: number): Promise<boolean>;
  // rowOfLine returns the row of a line number of the later text, or of the earlier one, loading and unfolding what it must; -1 where
  // there is none.
  rowOfLine(line: number, side?: Side): Promise<number>;
}
