import assert from "node:assert/strict";
import { test } from "node:test";
import { about, across, became, type Excerpt, excerpt, items, joined, ofDecision, ofRewrite, ranges, reasons, spanOf, target } from "./rewrites";
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

test("a decision stands with the rewrite that came of it, and no other", () => {
  const index = (col: number): Place => ({ func: "main", line: 7, col, text: "v // 8 * 8 + v % 8" });
  const all = items({
    names: [], rules: [],
    rewrites: [
      { name: "resolve a division", func: "main", before: [index(9)], after: [{ func: "main", line: 7, col: 9, text: "v" }] },
      { name: "resolve a division", func: "main", before: [index(40)], after: [{ func: "main", line: 7, col: 20, text: "v" }] },
    ],
    decisions: [
      { rule: "resolve a division", func: "main", place: index(40), taken: true, reason: "by the rule canonical.collect" },
      { rule: "resolve a division", func: "main", place: index(9), taken: false, reason: "it is too long" },
      { rule: "collect terms", func: "main", place: index(9), taken: true, reason: "by the rule rewrite.add.zero" },
    ],
  });
  const list = joined(all);
  assert.deepEqual(list.map((x) => [x.key, x.decision?.reason]), [["1", undefined], ["2", "by the rule canonical.collect"], ["d2", "it is too long"], ["d3", "by the rule rewrite.add.zero"]]);
  assert.equal(became(list[1]!), "v // 8 * 8 + v % 8 → v");
  assert.equal(became(list[2]!), "v // 8 * 8 + v % 8");
});

test("what became of a whole function is not its first line, and what came or went stands alone", () => {
  const place = (text: string): Place => ({ func: "main", line: 1, text });
  const of = (before: string[], after: string[]): string => became(ofRewrite({ name: "r", before: before.map(place), after: after.map(place) }, 0));
  assert.equal(of(["@T.prim_func\ndef main():"], ["@T.prim_func\ndef main():"]), "");
  assert.equal(of(["x = 1\ny = 2"], []), "x = 1");
  assert.equal(of([], ["T.tvm_storage_sync(\"shared\")"]), "T.tvm_storage_sync(\"shared\")");
  assert.equal(of(["a"], ["a"]), "a");
  assert.equal(of(["a", "b"], ["c"]), "c");
  assert.equal(of([], []), "");
});

test("an item is shown by the first lines of its places, each once, with what went before what came", () => {
  const texts: Record<string, string> = { "main before 4": "    a = f(x)", "main before 5": "    b = g(a)", "main after 4": "    b = fg(x)", "main after 9": "    return b" };
  const printed = (l: Excerpt): string | undefined => texts[`${l.fn} ${l.side} ${l.line}`];
  const place = (line: number, col = 5, text = "t"): Place => ({ func: "main", line, col, text });
  const of = (before: Place[], after: Place[]): string[] => excerpt(ofRewrite({ name: "r", before, after }, 0), printed).map((l) => `${l.sign}${l.line}${l.part ? " part" : ""}`);
  assert.deepEqual(of([place(5), place(4), place(5, 9)], [place(4)]), ["-4", "-5", "+4"]);
  assert.deepEqual(of([place(4, 9)], [place(4, 9)]), ["-4 part", "+4 part"]);
  assert.deepEqual(of([place(1, 1, "@R.function")], []), []);
  assert.deepEqual(of([{ text: "f(x)" }], []), []);
  texts["main after 5"] = texts["main before 5"]!;
  assert.deepEqual(of([place(5)], [place(5)]), ["5"], "what both sides print is there once");
  const asked = (taken: boolean): string[] => excerpt(ofDecision({ rule: "fuse", func: "main", place: place(5), taken, reason: "it is" }, 0), printed).map((l) => l.sign + l.line);
  assert.deepEqual([asked(false), asked(true)], [["5"], ["5"]]);
  // Before the texts are there both sides are asked for.
  assert.deepEqual(excerpt(ofRewrite({ name: "r", before: [place(4)], after: [place(4)] }, 0), () => undefined).map((l) => l.side), ["before", "after"]);
});

test("what a step reports about lines begins in them, and the closest around them is said too", () => {
  const loop = ofDecision({ rule: "unroll", func: "main", place: at("main", 2, 30), taken: false, reason: "it is too long" }, 1);
  const block = ofDecision({ rule: "inline", func: "main", place: at("main", 8, 12), taken: false, reason: "it is read twice" }, 2);
  const all = [fuse, kept, loop, block];
  const keys = (lines: { before: [number, number][]; after: [number, number][] }, fn = "main", changed = true): string[][] => {
    const { here, around } = about(all, fn, lines, changed);
    return [here.map((x) => x.key), around.map((x) => x.key)];
  };
  assert.deepEqual(keys({ before: [[4, 5]], after: [] }), [["3"], ["d2"]]);
  assert.deepEqual(keys({ before: [], after: [[5, 5]] }), [["3"], []]);
  assert.deepEqual(keys({ before: [[9, 9]], after: [[7, 7]] }), [["d1"], ["d3", "d2"]]);
  assert.deepEqual(keys({ before: [[40, 41]], after: [] }), [[], []]);
  assert.deepEqual(keys({ before: [[9, 9]], after: [] }, "other"), [[], []]);
  // A function that the step left alone has one text: the place before it is a line of it.
  assert.deepEqual(keys({ before: [], after: [[9, 9]] }, "main", false), [["d1"], ["d3", "d2"]]);
});

test("rows of a hunk span lines of both texts", () => {
  assert.deepEqual(spanOf([{ before: 4 }, { before: 5 }, { after: 5 }, { before: 9 }]), { before: [[4, 9]], after: [[5, 5]] });
  assert.deepEqual(spanOf([{ after: 7 }]), { before: [], after: [[7, 7]] });
});

test("an unchanged line has a number in both texts", () => {
  // Lines 3 and 4 became line 3; a line was added behind line 7, which is line 6 afterwards.
  const hunks = [{ row: 0, rows: 3, before: 3, after: 3 }, { row: 3, rows: 1, before: 8, after: 7 }];
  const to = (line: number, side: "before" | "after"): [number, number | undefined] => {
    const { line: other, hunk } = across(hunks, 0, line, side);
    return [other, hunk?.row];
  };
  assert.deepEqual(to(2, "after"), [2, undefined]);
  assert.deepEqual(to(4, "after"), [5, 0]);
  assert.deepEqual(to(6, "after"), [7, 0]);
  assert.deepEqual(to(8, "after"), [8, 3]);
  assert.deepEqual(to(7, "before"), [6, 0]);
  assert.deepEqual(to(8, "before"), [8, 3]);
});

test("reasons are told once, what was declined first", () => {
  const d = (rule: string, taken: boolean, reason: string, i: number) => ofDecision({ rule, taken, reason, func: "main" }, i);
  const all = [d("fuse", true, "it fits", 0), d("fuse", false, "opaque", 1), d("fold", false, "big", 2), d("fold", false, "big", 3), fuse];
  assert.deepEqual(reasons(all).map((r) => [r.rule, r.taken, r.reason, r.count, r.first.key]), [["fold", false, "big", 2, "d3"], ["fuse", false, "opaque", 1, "d2"], ["fuse", true, "it fits", 1, "d1"]]);
});
