import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf } from "./columns";
import { RunModel } from "./model";
import { change, event, finished, plan, skipped, started } from "./testing";

const model = new RunModel("r");
model.apply([
  started(plan("1/default", "1.1/A", "1.2/B", "1.3/C", "1.4/D", "1.5/E", "1.6/F")),
  event(1, "pass_started", "1.1/A"), finished(2, "1.1/A", [change("main", "h0", "h1")]),
  event(3, "pass_started", "1.2/B"), finished(4, "1.2/B", [change("k", "k0", "k1")]),
  event(5, "pass_started", "1.3/C"), finished(6, "1.3/C", [change("main", "h1", "h2")]),
  skipped(7, "1.4/D", "off"),
  event(8, "pass_started", "1.5/E"), finished(9, "1.5/E", []),
]);
const columns = (kept: string[], selected: string, fn = "main"): string[] => columnsOf(model, kept, model.steps.get(selected) ?? null, fn).map((s) => s.path);

test("beside the selected pass stands the last one that changed the function", () => {
  assert.deepEqual(columns([], "1.3/C"), ["1.1/A", "1.3/C"]);
  assert.deepEqual(columns([], "1.3/C", "k"), ["1.2/B", "1.3/C"]);
  assert.deepEqual(columns([], "1.1/A"), ["import", "1.1/A"]);
  assert.deepEqual(columns([], "import"), ["import"]);
});

test("kept passes stand in the order of the run, at most three of them, the latest kept", () => {
  assert.deepEqual(columns(["1.3/C", "import"], "1.1/A"), ["import", "1.1/A", "1.3/C"]);
  assert.deepEqual(columns(["import", "1.1/A", "1.2/B", "1.3/C"], "1.5/E"), ["1.1/A", "1.2/B", "1.3/C", "1.5/E"]);
  assert.deepEqual(columns(["1.3/C"], "1.3/C"), ["1.1/A", "1.3/C"]);
});

test("a pass that the run has not, or that has not ended, is no column", () => {
  assert.deepEqual(columns(["9/X", "1.6/F", "1.1/A"], "1.3/C"), ["1.1/A", "1.3/C"]);
});
