import assert from "node:assert/strict";
import { test } from "node:test";
import { type End, textBetween } from "./copied";
import type { Row, Source } from "./source";
import type { CompactLine } from "../wire";

// The line "  y = add(x)", printed with full names, an operator, and a comment that is not shown.
const exact = "    y_Conv = R.add(x_Conv)  # float32[4]";
const compact: CompactLine = { exact, columns: [2, 0, 4, 3, 4, 10, 6, 10, 13, 9, 13, 18, 10, 18, 19, 11, 19, 25, 12, 25, 26] };
const short: Row = { kind: "same", before: 1, after: 1, text: [["", "  y = add(x)"]], compact };
const plain: Row = { kind: "add", after: 2, text: [["", "    pass"]] };
const rows: Row[] = [{ kind: "head", title: "main" }, short, { kind: "fold", before: 2, after: 2 }, plain, short];

const source = (split: boolean, all: (Row | undefined)[]): Source => ({ total: all.length, split, digits: 1, hunks: () => [], get: (i) => all[i], load: async () => false, rowOfLine: async () => -1 });
const at = (row: number, col: number, cell = 0): End => ({ row, cell, at: col });

test("rows are copied as they are printed", () => {
  const s = source(false, rows);
  assert.equal(textBetween(s, at(0, 0), at(4, Infinity)), ["main", exact, "    pass", exact].join("\n"));
  assert.equal(textBetween(s, at(1, 2), at(1, 3)), "y_Conv");
  assert.equal(textBetween(s, at(1, 6), at(1, 12)), "R.add(x_Conv)  # float32[4]", "what is not shown behind the last column is part of the line");
  assert.equal(textBetween(s, at(1, 6), at(1, 9)), "R.add");
  assert.equal(textBetween(s, at(1, 10), at(4, 3)), "x_Conv)  # float32[4]\n    pass\n    y_Conv");
  assert.equal(textBetween(s, at(3, 4), at(3, 8)), "pass");
});

test("of two texts side by side one is copied", () => {
  const mod: Row = { kind: "mod", before: 1, after: 1, left: [["", "old"]], right: [["", "  y = add(x)"]], right_compact: compact };
  const s = source(true, [mod, plain, mod]);
  assert.equal(textBetween(s, at(0, 0, 0), at(2, 3, 0)), "old\nold");
  assert.equal(textBetween(s, at(0, 0, 1), at(2, 2, 0)), [exact, "    pass", exact].join("\n"));
});

test("a row that is missing is said to be", () => {
  assert.equal(textBetween(source(false, [short, undefined, short]), at(0, 0), at(2, 1)), null);
});
