import assert from "node:assert/strict";
import { test } from "node:test";
import { biography } from "./biography";
import type { History } from "../wire";

const life = (roots: [string, string][], events: string[], rest: Partial<History> = {}): History => ({
  roots: roots.map(([op, name], id) => ({ id, op, name })), sealed: true,
  entries: events.map((e) => ({ pass: e.split(" ")[0]!, path: e, verb: e.split(" ")[1]! })), ...rest,
}) as unknown as History;

test("a life begins with what it comes from and ends where it is gone", () => {
  assert.equal(biography(life([["Conv", "conv1"]], ["LegalizeOps born", "FuseOps rewritten", "FuseTIR died"])), "Born in LegalizeOps from Conv conv1, rewritten in FuseOps, gone in FuseTIR.");
});

test("what happens again and again is said once, and what left it alone is not said", () => {
  assert.equal(
    biography(life([["Conv", "conv1"], ["Relu", "r"]], ["import born", "A same", "B rewritten", "C rewritten", "D same", "E rewritten", "F rewritten", "code lowered"])),
    "Born in the import from Conv conv1 and 1 more, rewritten in B, C and 2 more passes, lowered in code generation.");
});

test("of a long life the events between are those that say most, in their order, and it says if it goes on", () => {
  const verbs = ["born", "rewritten", "split", "rewritten", "fused", "dropped", "lowered", "rewritten", "rewritten"];
  const text = biography(life([["Conv", "c"]], verbs.map((v, i) => `P${i} ${v}`), { sealed: false, more: 3 }));
  assert.equal(text, "Born in P0 from Conv c and 3 more, split in P2, fused in P4, lowered in P6, rewritten in P7 and P8; 3 more passes changed it, so far.");
});

test("without events there is the origin, or nothing", () => {
  assert.equal(biography(life([["line", "line 3"]], [], { roots: [{ id: 0, op: "line", name: "line 3", line: 3 }] as History["roots"] })), "It comes from line 3 of the source; no pass has changed it.");
  assert.equal(biography(life([], ["A same"])), "Nothing is known of where it comes from.");
});
