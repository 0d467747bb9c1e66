import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "./match";

const marked = (name: string, query: string): string => {
  const f = fit(name, "", query);
  return f ? [...name].map((ch, i) => (f.at.includes(i) ? `[${ch}]` : ch)).join("").replaceAll("][", "") : "none";
};

const order = (query: string, ...names: string[]): string[] =>
  names.map((name) => ({ name, f: fit(name, "", query) })).filter((x) => x.f).sort((a, b) => a.f!.score - b.f!.score).map((x) => x.name);

test("a word is a part of the name, or letters in order, taken where words of the name begin", () => {
  assert.equal(marked("FuseOps", "ops"), "Fuse[Ops]");
  assert.equal(marked("FuseOps", "fo"), "[F]use[O]ps");
  assert.equal(marked("FoldConstant", "fldcnst"), "[F]o[ldC]o[nst]ant");
  assert.equal(marked("tir.StorageRewrite", "sr"), "tir.[S]torage[R]ewrite");
  assert.equal(marked("tir.StorageRewrite", "tsr"), "[t]ir.[S]torage[R]ewrite");
  assert.equal(marked("FuseOps", "sf"), "none");
  assert.equal(marked("FuseOps", "opsx"), "none");
});

test("the whole name comes before its beginning, that before the beginning of a word, that before a part, that before letters", () => {
  assert.deepEqual(order("fuse", "FoldUnusedSplits", "Defuse", "tir.Fuse", "FuseOps", "Fuse"), ["Fuse", "FuseOps", "tir.Fuse", "Defuse", "FoldUnusedSplits"]);
});

test("initials come before a part and before other letters", () => {
  assert.deepEqual(order("fo", "Transform", "before", "FuseOps", "Fold"), ["Fold", "FuseOps", "before", "Transform"]);
});

test("each word must be found, beside the name if not in it, which counts least", () => {
  assert.equal(fit("FuseOps", "changed", "fuse same"), null);
  const beside = fit("FuseOps", "groups operators", "groups");
  assert.ok(beside && beside.at.length === 0);
  assert.ok(fit("FuseOps", "groups", "fs")!.score < beside.score);
});

test("an empty query fits everything, without marks", () => {
  assert.deepEqual(fit("Fuse", "", "  ")!.at, []);
});
