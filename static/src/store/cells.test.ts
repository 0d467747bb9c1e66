import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cell, cellsOf, exactly, partAt, shownAt, units, wordsOf } from "./cells";
import type { Row } from "./source";
import type { CompactLine } from "../wire";

const exact = '    y_Conv: R.Tensor((4,), dtype="float32") = R.nn.conv2d(x, metadata["c"]["4e62e7"], groups=1)';
const at = (s: string): number => exact.indexOf(s);

// The line "  y = conv2d(x, c4e6)" and what its parts stand for.
const compact: CompactLine = {
  exact,
  type: [["", "f32[4]"]],
  columns: [2, 0, 4, 3, at("y_Conv"), at("y_Conv") + 6, 6, at(":"), at("R.nn"), 12, at("R.nn"), at("(x"), 14, at("(x"), at("(x") + 2, 16, at(", meta"), at("meta"), 20, at("meta"), at(", groups"), 21, exact.length - 1, exact.length],
};
const cell: Cell = { side: "after", line: 7, spans: [["", "  y = "], ["c-nb", "conv2d"], ["", "(x, "], ["c-no", "c4e6"], ["", ")"]], compact };
const text = "  y = conv2d(x, c4e6)";

test("columns of a compact line stand for columns of the printed one", () => {
  const find = (s: string): string => exactly(cell, text.indexOf(s), text.indexOf(s) + s.length);
  assert.equal(find("y"), "y_Conv");
  assert.equal(find("conv2d"), "R.nn.conv2d");
  assert.equal(find("c4e6"), 'metadata["c"]["4e62e7"]');
  assert.equal(find("4e"), 'metadata["c"]["4e62e7"]', "a piece of a short name is all of it");
  assert.equal(find("(x"), "(x");
  assert.equal(find("x"), "x");
  assert.equal(find("conv2d(x, c4e6"), 'R.nn.conv2d(x, metadata["c"]["4e62e7"]');
  assert.equal(exactly(cell, 0, text.length), exact);
  assert.equal(exactly(cell, 3, 3), "");
  assert.deepEqual(partAt(compact, text.length), { at: 20, end: 21, from: exact.length - 1, to: exact.length });
});

test("what is printed is found in the compact line", () => {
  const shown = (s: string): string => text.slice(...shownAt(cell, at(s), at(s) + s.length));
  assert.equal(shown("y_Conv"), "y");
  assert.equal(shown("_Co"), "y");
  assert.equal(shown("R.nn.conv2d"), "conv2d");
  assert.equal(shown("4e62e7"), "c4e6");
  assert.equal(shown("(x"), "(x");
  assert.equal(shown("groups"), "", "what is left out is nowhere");
  assert.equal(shown("R.nn.conv2d(x, meta"), "conv2d(x, c4e6");
});

test("bytes become units", () => {
  assert.deepEqual([0, 1, 2, 3, 6, 7, 11, 12].map((n) => units("aé€𝄞b", n)), [0, 1, 1, 2, 3, 3, 6, 6]);
});

test("words have their full names", () => {
  assert.deepEqual(wordsOf(cell).map((w) => [w.shown, w.full]), [["y", "y_Conv"], ["conv2d", "R.nn.conv2d"], ["x", "x"], ["c4e6", 'metadata["c"]["4e62e7"]']]);
  assert.deepEqual(wordsOf({ side: "before", line: 1, spans: [["", "a = b"]], compact: undefined }).map((w) => w.full), ["a", "b"]);
});

test("rows have their cells in the order of their elements", () => {
  const spans = [["", "x"]] as [string, string][];
  const brief = (row: Row, split: boolean): string => cellsOf(row, split).map((c) => (c ? `${c.side} ${c.line}${c.compact ? " compact" : ""}` : "none")).join(", ");
  assert.equal(brief({ kind: "del", before: 3, text: spans, compact }, false), "before 3 compact");
  assert.equal(brief({ kind: "add", after: 4, text: spans }, true), "none, after 4");
  assert.equal(brief({ kind: "same", before: 3, after: 4, text: spans, compact }, true), "before 3 compact, after 4 compact");
  assert.equal(brief({ kind: "same", before: 3, after: 4, text: spans }, false), "after 4");
  assert.equal(brief({ kind: "mod", before: 3, after: 4, left: spans, right: spans, right_compact: compact }, true), "before 3, after 4 compact");
  assert.equal(brief({ kind: "fold", before: 1, after: 1 }, false), "");
});
