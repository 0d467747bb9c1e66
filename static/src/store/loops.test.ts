import assert from "node:assert/strict";
import { test } from "node:test";
import { isNewRow } from "./loops";
import type { LoopRow, LoopTree } from "../wire";

const loop = (name: string, extent: string, kind = "serial"): LoopRow => ({ kind: "loop", depth: 1, name, extent, loop: kind, runs: 1 });
const tree = (...rows: LoopRow[]): LoopTree => ({ name: "f", rows });

test("a row is new where the tree before has no such row left", () => {
  const isNew = isNewRow(tree(loop("i", "4"), loop("j", "8"), loop("j", "8")));
  assert.deepEqual([loop("i", "4"), loop("j", "8"), loop("j", "8"), loop("j", "8"), loop("j", "8", "vectorized"), loop("i", "2")].map(isNew), [false, false, false, true, true, true]);
});

test("without a tree before nothing is new", () => {
  assert.equal(isNewRow(null)(loop("i", "4")), false);
});
