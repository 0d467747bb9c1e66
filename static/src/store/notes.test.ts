import assert from "node:assert/strict";
import { test } from "node:test";
import { RunModel } from "./model";
import { beside, inOrder } from "./notes";
import { plan, started } from "./testing";
import type { Note } from "../wire";

const model = new RunModel("r");
model.apply([started(plan("1/default", "1.1/A", "1.2/B"))]);
const note = (id: string, rest: Partial<Note>): Note => ({ id, text: id, html: "", created: "", ...rest });
const notes = [
  note("other", { run: "q", step: "1.1/A" }), note("b9", { run: "r", step: "1.2/B", function: "main", line: 9 }), note("b2", { run: "r", step: "1.2/B", function: "main", line: 2 }),
  note("k", { step: "1.2/B", function: "k", line: 30 }), note("gone", { run: "r", step: "7/X" }), note("first", { run: "r", step: "import" }), note("a", { run: "r", step: "1.1/A" }),
];

test("notes go with the steps of the run, then by function and line; those of other runs come last", () => {
  assert.deepEqual(inOrder(notes, model).map((n) => n.id), ["first", "a", "k", "b2", "b9", "gone", "other"]);
});

test("a tour goes from note to note, begins at an end, and stops at one", () => {
  const sorted = inOrder(notes, model);
  const to = (id: string, dir: 1 | -1): string | undefined => beside(sorted, id, dir)?.id;
  assert.deepEqual([to("", 1), to("", -1), to("b2", 1), to("b2", -1), to("other", 1), to("first", -1)], ["first", "other", "b9", "k", undefined, undefined]);
  assert.equal(beside([], "", 1), null);
});
