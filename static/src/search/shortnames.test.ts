import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row, Source } from "../store/source";
import { inFull, shortNames } from "./shortnames";

// line is a row that shows name = op(x) of a line of the printed text with another name.
const line = (shown: string, full: string): Row => {
  const text = `${shown} = relu(x)`;
  const exact = `${full} = R.relu(x)`;
  const n = shown.length;
  return { kind: "same", after: 1, text: [["", text]], compact: { exact, columns: [n, 0, full.length, n + 3, full.length, full.length + 3, n + 7, full.length + 3, full.length + 9, text.length, full.length + 9, exact.length] } };
};
const source = (...rows: Row[]): Source => ({ total: rows.length + 1, split: false, digits: 1, hunks: () => [], get: (i) => rows[i], load: () => Promise.resolve(false), rowOfLine: () => Promise.resolve(-1) });

test("a word that the text shows for one longer name is told in full", () => {
  const text = source(line("relu1", "relu1_Relu"), line("fc", "fc_Gemm"), line("y", "y"), line("a", "a_1"), line("a", "a_2"));
  assert.deepEqual(shortNames("touches:relu1", text), [{ word: "relu1", full: "relu1_Relu" }]);
  assert.deepEqual(shortNames("fc relu1 y x none", text).map((s) => s.full), ["fc_Gemm", "relu1_Relu"]);
  assert.deepEqual(shortNames("a relu", text), [], "several names, and an operator with its module, which is no name");
  assert.deepEqual(shortNames("relu1", null), []);
  assert.deepEqual(shortNames("relu1", source({ kind: "same", after: 1, text: [["", "relu1 = 1"]] })), []);
});

test("a query has the word in full wherever it stands alone", () => {
  assert.equal(inFull("touches:relu1 relu10 -relu1", { word: "relu1", full: "relu1_Relu" }), "touches:relu1_Relu relu10 -relu1_Relu");
});
