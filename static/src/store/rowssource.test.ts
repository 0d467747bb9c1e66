import assert from "node:assert/strict";
import { test } from "node:test";
import { RowsSource } from "./rowssource";
import type { DiffPage } from "../wire";

const page = (rows: unknown[], total = rows.length): DiffPage => ({ rows, total, hunks: [{ row: 1, rows: 2, before: 9, after: 9 }], lines_before: 120, lines_after: 9 }) as unknown as DiffPage;

test("a fold says what it hides, and rows are found by their lines", async () => {
  const s = new RowsSource(page([{ kind: "fold", before: 1, after: 1, fold: { lines: 8, from: 0, count: 8 } }, { kind: "del", before: 9, text: [] }, { kind: "add", after: 9, text: [] }]));
  assert.deepEqual(s.get(0), { kind: "head", title: "⋯ 8 unchanged lines" });
  assert.deepEqual([s.total, s.digits, s.hunks()], [3, 3, [{ row: 1, rows: 2 }]]);
  assert.deepEqual([await s.rowOfLine(9), await s.rowOfLine(9, "before"), await s.rowOfLine(3)], [2, 1, -1]);
});

test("what is not there is said to be missing", () => {
  const s = new RowsSource(page([{ kind: "same", before: 1, after: 1, text: [] }], 50));
  assert.deepEqual([s.total, s.get(1)], [2, { kind: "head", title: "⋯ 49 more rows" }]);
});
