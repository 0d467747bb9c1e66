import assert from "node:assert/strict";
import { test } from "node:test";
import type { Profile } from "./model";
import { percent, shares, summarize } from "./profile";

const profile: Profile = {
  body: {
    function: "main",
    calls: [
      { name: "alloc", in: "main", count: 3 },
      { name: "k", kernel: true, in: "main", count: 1, flops: 10, read: 4, written: 2 },
      { name: "big", kernel: true, in: "main", count: 1, flops: 100, special: 5, read: 40, written: 20, bound: true },
      { name: "k", kernel: true, in: "main", count: 2, flops: 15, byte_ops: 5, read: 8, written: 4 },
    ],
  },
  times: {
    runs: 9, median: 1000, best: 900, copies: 50, machine: 130, other: 20, took: 0,
    calls: [{ median: 100, best: 90 }, { median: 100, best: 80, ideal: 10 }, { median: 400, best: 390, ideal: 300 }, { median: 200, best: 160, ideal: 20 }],
  },
};

test("the calls of a kernel are one row, the slowest first, and all rows are the time of a run", () => {
  const s = summarize(profile)!;
  assert.deepEqual(s.kernels.map((k) => [k.name, k.calls, k.time, k.best, k.flops, k.bytes, k.ideal, k.bound]), [["big", 1, 400, 390, 100, 60, 300, true], ["k", 3, 300, 240, 30, 18, 30, false]]);
  assert.deepEqual(s.rest.map((r) => [r.name, r.calls, r.time]), [["packed functions", 3, 100], ["copies of inputs and outputs", 0, 50], ["virtual machine", 0, 130], ["interruptions by other work on the server", 0, 20]]);
  assert.equal([...s.kernels, ...s.rest].reduce((n, r) => n + r.time, 0), s.median);
  assert.deepEqual([s.flops, s.kernels[1]!.byteOps, s.special, s.bytes, s.limit], [130, 5, 5, 78, null]);
});

test("the share of a kernel is that of the time of a run", () => {
  assert.deepEqual([...shares([profile])], [["big", 0.4], ["k", 0.3]]);
  assert.deepEqual([0.4, 0.0995, 0.07, 0.0004, 1].map(percent), ["40 %", "10 %", "7.0 %", "0.0 %", "100 %"]);
  assert.equal(shares([]).size, 0);
  assert.equal(shares([{ ...profile, times: null }]).size, 0);
});
