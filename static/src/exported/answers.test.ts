import assert from "node:assert/strict";
import { test } from "node:test";
import { answersOf, type Exported } from "./answers";
import type { LoopRow, LoopTree } from "../wire";

const loop = (name: string, depth: number, extent: string): LoopRow => ({ kind: "loop", name, depth, extent, loop: "serial", runs: 4 });

function file(loops: Exported["packed"]["loops"]): Exported {
  return { run: "1", events: [], answers: {}, packed: { classes: [], texts: {}, diffs: {}, raw: {}, ...(loops && { loops }) }, cells: [] };
}

test("the loops of an exported page are those of the server: rows are shared by trees, and lines are counted on", () => {
  const answer = answersOf(file({
    rows: [loop("i", 1, "4"), loop("j", 2, "8"), loop("j_0", 2, "2")],
    trees: { a: { name: "f", rows: [0, 1], lines: [3, 1] }, b: { name: "g", rows: [0, 2, 0], lines: [5, 2, 4], omitted: 9 } },
  }));
  assert.deepEqual(answer("/loops/a"), { name: "f", rows: [{ ...loop("i", 1, "4"), line: 3 }, { ...loop("j", 2, "8"), line: 4 }], omitted: 0 });
  const b = answer("/loops/b") as LoopTree;
  assert.deepEqual(b.rows.map((r) => [r.name, r.line]), [["i", 5], ["j_0", 7], ["i", 11]]);
  assert.equal(b.omitted, 9);
  // Reading one tree leaves the rows that it shares with others as they are.
  assert.deepEqual((answer("/loops/a") as LoopTree).rows.map((r) => r.line), [3, 4]);
});

test("a page says whether it has loops, and that those of other kernels are not in it", () => {
  const answer = answersOf(file({ rows: [], trees: {} }));
  assert.equal(answer("/loops/"), true);
  assert.throws(() => answer("/loops/other"), /not in the exported page/);
  assert.throws(() => answersOf(file(undefined))("/loops/"), /not in the exported page/);
});
