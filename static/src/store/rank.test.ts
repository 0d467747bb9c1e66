import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzy } from "./fuzzy";
import { rank } from "./rank";
import { random } from "./testing";
import type { PassInfo } from "../wire";

const pass = (name: string, doc = ""): PassInfo => ({ name, doc, level: 0, role: "optional", kind: "module" });
const found = (query: string, ...all: PassInfo[]): string[] => rank(all, query).map((p) => p.name);

test("a name comes before its beginning, that before a part, that before letters in order, that before the doc", () => {
  assert.deepEqual(
    found("fuse", pass("Other", "runs before fuse"), pass("FoldUnusedSplits"), pass("DeFuse"), pass("FuseOps"), pass("Fuse")),
    ["Fuse", "FuseOps", "DeFuse", "FoldUnusedSplits", "Other"],
  );
});

test("letters in order find a pass, also behind its prefix", () => {
  assert.deepEqual(found("fldcnst", pass("FuseOps"), pass("FoldConstant")), ["FoldConstant"]);
  assert.deepEqual(found("simplify", pass("tir.SimplifyLoops"), pass("tir.Simplify")), ["tir.Simplify", "tir.SimplifyLoops"]);
  assert.deepEqual(found("cnstfld", pass("FoldConstant")), [], "in another order they do not");
});

test("each word must be found", () => {
  const all = [pass("FoldConstant", "Evaluates calls"), pass("FuseOps", "Groups calls")];
  assert.deepEqual(found("calls groups", ...all), ["FuseOps"]);
  assert.deepEqual(found("calls nothing", ...all), []);
});

test("an empty query finds all in their order", () => {
  assert.deepEqual(found("  ", pass("B"), pass("A")), ["B", "A"]);
});

test("of random names none is lost or listed twice, what holds the query is found, and its order does not depend on the list's", () => {
  const rnd = random(4);
  const word = (n: number): string => Array.from({ length: n }, () => "abcd"[rnd(4)]).join("");
  for (let run = 0; run < 300; run++) {
    const all = Array.from({ length: 12 }, (_, i) => pass(`${word(1 + rnd(6))}${i}`, rnd(2) === 0 ? word(5) : ""));
    const query = word(1 + rnd(3));
    const got = rank(all, query);
    assert.equal(new Set(got).size, got.length);
    for (const p of all) {
      const holds = fuzzy(p.name, query) || p.doc.includes(query);
      assert.equal(got.includes(p), holds, `${query} in ${p.name} (${p.doc})`);
    }
    const exact = all.find((p) => p.name === query);
    if (exact) assert.equal(got[0], exact);
    const firstDoc = got.findIndex((p) => !fuzzy(p.name, query));
    if (firstDoc >= 0) assert.ok(got.slice(firstDoc).every((p) => !fuzzy(p.name, query)), "a name comes before a doc");
  }
});

test("fuzzy passes over blanks", () => {
  assert.ok(fuzzy("fuseops", "f o"));
  assert.ok(fuzzy("anything", ""));
  assert.ok(!fuzzy("fuseops", "off"));
});
