import assert from "node:assert/strict";
import { test } from "node:test";
import { took } from "./took";

const leaf = (total: number, reused: boolean) => ({ measured: { total }, reused, children: [] });

test("a row says what its time is made of", () => {
  assert.deepEqual(took({ measured: {}, reused: false, children: [] }), ["", ""]);
  assert.deepEqual(took({ measured: { total: 2_000_000, self: 5 }, reused: false, children: [] }), ["2.00 ms", ""]);
  assert.deepEqual(took(leaf(2_000_000, true)), ["↺ 2.00 ms", "reused from an earlier run"]);
  const some = { measured: { total: 2_500_000, earlier: 2_000_000 }, reused: false, children: [leaf(2_000_000, true), leaf(400_000, false)] };
  assert.deepEqual(took(some), ["500 µs + ↺ 2.00 ms", "2.50 ms: 500 µs in this run, 2.00 ms in earlier ones"]);
  assert.equal(took({ ...some, children: [some] })[0], "500 µs + ↺ 2.00 ms");
});

test("where every step in it is reused, the time of finding them is only in the sentence", () => {
  const skipped = { measured: {}, reused: false, children: [] };
  assert.deepEqual(took({ measured: { total: 2_500_000, earlier: 2_000_000 }, reused: false, children: [leaf(2_000_000, true), skipped] }), ["↺ 2.50 ms", "2.50 ms: 500 µs in this run, 2.00 ms in earlier ones"]);
});
