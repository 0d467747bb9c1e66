import assert from "node:assert/strict";
import { test } from "node:test";
import { merged, roleOf, without } from "./tensors";
import type { GivenTensor } from "../wire";

const tensor = (name: string, file: string): GivenTensor => ({ name, file, dtype: "float32", shape: [1], blob: "" });

test("what a file holds, by its name", () => {
  assert.equal(roleOf("output_0.pb"), "expected");
  assert.equal(roleOf("Expected.npz"), "expected");
  assert.equal(roleOf("input_0.pb"), "inputs");
  assert.equal(roleOf("image.npy"), "inputs");
});

test("a tensor takes the place of the one of its name", () => {
  const list = merged([tensor("a", "1"), tensor("b", "1")], [tensor("a", "2"), tensor("c", "2")]);
  assert.deepEqual(list.map((t) => t.name + t.file), ["b1", "a2", "c2"]);
  assert.deepEqual(without({ inputs: list }, "inputs", "a"), { inputs: [list[0], list[2]] });
  assert.deepEqual(without({}, "expected", "a"), { expected: [] });
});
