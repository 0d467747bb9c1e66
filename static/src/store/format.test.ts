import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, time } from "./format";

test("times and sizes have three digits, also where they are rounded up", () => {
  const times: [number, string][] = [
    [0, "0 ns"], [999, "999 ns"], [999.6, "1.00 µs"], [9_994, "9.99 µs"], [9_996, "10.0 µs"], [99_940, "99.9 µs"], [99_960, "100 µs"], [999_400, "999 µs"], [999_600, "1.00 ms"],
    [4_704_000, "4.70 ms"], [99_970_000, "100 ms"], [999_700_000, "1.00 s"], [2_110_000_000, "2.11 s"],
  ];
  for (const [ns, want] of times) assert.equal(time(ns), want);
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(102_390), "100 KiB");
});
