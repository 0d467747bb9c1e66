import assert from "node:assert/strict";
import { test } from "node:test";
import { Heights } from "./heights";
import { random } from "./testing";

test("random heights add up as a list of them does", () => {
  const rnd = random(21);
  for (let run = 0; run < 60; run++) {
    const n = rnd(run < 10 ? 3 : 200);
    const list = Array.from({ length: n }, () => 20);
    const heights = new Heights(n, 20);
    for (let k = rnd(60); k > 0 && n > 0; k--) {
      const i = rnd(n);
      const height = 10 + rnd(60);
      assert.equal(heights.set(i, height), height - list[i]!);
      list[i] = height;
    }
    let top = 0;
    for (let i = 0; i <= n; i++) {
      assert.equal(heights.top(i), top);
      assert.equal(heights.at(top), i, `row ${i} begins at ${top}`);
      if (i < n) assert.equal(heights.at(top + list[i]! - 1), i);
      top += list[i] ?? 0;
    }
    assert.equal(heights.at(top + 100), n);
    assert.equal(heights.at(-1), 0);
    const kept = rnd(n + 1);
    const longer = new Heights(n + 5, 20, heights, kept);
    for (let i = 0; i < n + 5; i++) assert.equal(longer.of(i), i < kept ? list[i] : 20);
    assert.equal(longer.top(n + 5), list.slice(0, kept).reduce((a, b) => a + b, 0) + 20 * (n + 5 - kept));
  }
});
