import assert from "node:assert/strict";
import { test } from "node:test";
import { Pipelines, put, take } from "./steps";
import { plan } from "./testing";
import type { Settings, SettingsStep } from "../wire";

const pipelines = new Pipelines([
  { name: "default", doc: "", steps: plan("1/default", "1.1/A", "1.2/lower", "1.2.1/B", "1.2.2/C", "1.3/Made", "1.3.1/Part", "1.4/D") },
  { name: "lower", doc: "", steps: plan("1/lower", "1.1/B", "1.2/C") },
]);
const whole: SettingsStep[] = [{ name: "A" }, { name: "lower", steps: [{ name: "B" }, { name: "C" }] }, { name: "Made" }, { name: "D" }];

test("a pipeline is its steps; of the sequences only those with a name are taken apart", () => {
  assert.deepEqual(pipelines.of({}), whole);
  assert.deepEqual(pipelines.of({ pipeline: "lower" }), [{ name: "B" }, { name: "C" }]);
  assert.deepEqual(pipelines.of({ pipeline: "unknown" }), []);
  assert.deepEqual(pipelines.of({ steps: [{ name: "lower" }, { name: "A" }] }), [{ name: "lower", steps: [{ name: "B" }, { name: "C" }] }, { name: "A" }]);
  assert.deepEqual(pipelines.sequence("lower"), { steps: [{ name: "B" }, { name: "C" }] });
  assert.equal(pipelines.sequence("A"), undefined);
});

test("steps that are those of the named pipeline are no change, and sequences keep their names", () => {
  assert.equal(pipelines.settle({}, whole), null);
  assert.deepEqual(pipelines.settle({}, [...whole, { name: "E" }]), [{ name: "A" }, { name: "lower" }, { name: "Made" }, { name: "D" }, { name: "E" }]);
  assert.deepEqual(pipelines.settle({}, [{ name: "lower", steps: [{ name: "C" }] }]), [{ name: "lower", steps: [{ name: "C" }] }]);
  // What is settled stands for the same steps.
  for (const steps of [whole, [...whole].reverse(), [{ name: "lower", steps: [{ name: "C" }] }, { name: "A" }]]) {
    const settled = pipelines.settle({}, steps);
    assert.deepEqual(pipelines.of({ steps: settled }), steps);
  }
});

const script = (name: string): { name: string; source: string } => ({ name, source: "" });

test("a script's new passes come behind a step, and where one was that is gone", () => {
  const [change, show] = put({}, pipelines, { script: script("s"), saved: "", after: "1.2.1/B", names: ["user.X"], others: [] });
  assert.deepEqual(pipelines.of(change as Settings)[1], { name: "lower", steps: [{ name: "B" }, { name: "user.X" }, { name: "C" }] });
  assert.equal(show, "user.X");
  assert.deepEqual(change.scripts, [script("s")]);

  const settings: Settings = { ...change, disabled: ["user.X"] };
  const [renamed, now] = put(settings, pipelines, { script: script("s"), saved: "s", after: "1/default", names: ["user.Y"], others: [] });
  assert.deepEqual(pipelines.of(renamed as Settings)[1], { name: "lower", steps: [{ name: "B" }, { name: "user.Y" }, { name: "C" }] }, "it stands where user.X was");
  assert.equal(now, "user.Y");

  const back = take({ ...settings, ...renamed }, pipelines, "s", ["user.Y"]);
  assert.deepEqual(back, { scripts: [], steps: null, disabled: ["user.X"] });
});

test("behind the outermost step is last, behind none of the pipeline first", () => {
  const at = (after: string): number => pipelines.of(put({}, pipelines, { script: script("s"), saved: "", after, names: ["user.X"], others: [] })[0] as Settings).findIndex((s) => s.name === "user.X");
  assert.equal(at("1/default"), 4);
  assert.equal(at("import"), 0);
  assert.equal(at("1.9/Gone"), 0);
  assert.equal(at("1.4/D"), 4);
});

test("passes of other scripts stay", () => {
  const [change] = put({ scripts: [script("a")], steps: [...whole, { name: "user.A" }] }, pipelines, { script: script("b"), saved: "", after: "1/default", names: ["user.B"], others: ["user.A"] });
  assert.deepEqual(pipelines.of(change as Settings).slice(-2).map((s) => s.name), ["user.A", "user.B"]);
  assert.deepEqual(change.scripts?.map((s) => s.name), ["a", "b"]);
});

test("a sequence that loses its last step goes with it", () => {
  const settings: Settings = { scripts: [script("s")], steps: [{ name: "A" }, { name: "mine", steps: [{ name: "inner", steps: [{ name: "user.X" }] }] }] };
  assert.deepEqual(take(settings, pipelines, "s", ["user.X"]).steps, [{ name: "A" }]);
});
