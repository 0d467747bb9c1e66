import assert from "node:assert/strict";
import { test } from "node:test";
import { isFaster } from "./faster";

test("two times are compared in words", () => {
  assert.equal(isFaster(1000, 100, "the default"), "10 times as fast as the default");
  assert.equal(isFaster(1000, 230, "the default"), "4.3 times as fast as the default");
  assert.equal(isFaster(100, 1000, "the plain loops"), "10 times as slow as the plain loops");
  assert.equal(isFaster(105, 100, "it"), "1.05 times as fast as it");
  assert.equal(isFaster(102, 100, "it"), "as fast as it");
  assert.equal(isFaster(0, 100, "it"), "not comparable");
});
