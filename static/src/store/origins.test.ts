import assert from "node:assert/strict";
import { test } from "node:test";
import { byLine, lineOf } from "./origins";

test("the line of an instruction", () => {
  assert.equal(lineOf("\tvmulps zmm0, zmm1, zmm2            ; 42"), 42);
  assert.equal(lineOf("\tmov eax, 3 ; spill 7"), 0);
  assert.equal(lineOf("; loop i"), 0);
  assert.equal(lineOf("    (local.set $x (f32.const 0x1p+0))        ;; 7"), 7);
  assert.equal(lineOf(";; for i in 0..12"), 0);
});

test("the instructions of each line", () => {
  const got = byLine(["; loop i", "L1:", "\tvmovups zmm0, [r15] ; 3", "\tvaddps zmm0, zmm0, zmm1 ; 4", "\tvmovups [r15], zmm0 ; 3", "\tret"]);
  assert.deepEqual([...got], [
    [3, { count: 2, first: 3, text: "vmovups zmm0, [r15]" }],
    [4, { count: 1, first: 4, text: "vaddps zmm0, zmm0, zmm1" }],
  ]);
});
