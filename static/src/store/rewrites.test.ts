import assert from "node:assert/strict";
import { test } from "node:test";
import { ofDecision, ofRewrite, ranges, target } from "./rewrites";
import type { Place } from "../wire";

const at = (func: string, line: number, end = line): Place => ({ func, line, end_line: end, text: "x" });
const fuse = ofRewrite({ name: "fuse", func: "main", before: [at("main", 4), at("main", 6, 7)], after: [at("main", 5), at("fused", 1)] }, 2);
const kept = ofDecision({ rule: "fuse", func: "main", place: at("main", 9), taken: false, reason: "it is opaque" }, 0);

test("keys number rewrites and decisions apart", () => {
  assert.deepEqual([fuse.key, kept.key], ["3", "d1"]);
});

test("the lines of an item are those of the function that is shown", () => {
  assert.deepEqual(ranges(fuse, "main", true), { before: [[4, 4], [6, 7]], after: [[5, 5]] });
  assert.deepEqual(ranges(fuse, "fused", true), { before: [], after: [[1, 1]] });
  assert.deepEqual(ranges(fuse, "other", true), { before: [], after: [] });
});

test("a function that the step left as it was has one text", () => {
  assert.deepEqual(ranges(kept, "main", false), { before: [], after: [[9, 9]] });
  assert.deepEqual(ranges(kept, "main", true), { before: [[9, 9]], after: [] });
});

test("an item leads to what came, else to what went", () => {
  assert.deepEqual(target(fuse, () => true), { fn: "main", line: 5, before: false });
  assert.deepEqual(target(kept, () => true), { fn: "main", line: 9, before: true });
  assert.deepEqual(target(kept, () => false), { fn: "main", line: 9, before: false });
  assert.equal(target(ofRewrite({ name: "drop", before: [{ text: "x" }] }, 0), () => true), null);
});
