import assert from "node:assert/strict";
import { test } from "node:test";
import { RunModel, type Step } from "./model";
import { change, event, finished, plan, random, skipped, started } from "./testing";
import { Visible, type Wanted } from "./visible";
import { fuzzy } from "./fuzzy";
import type { WireEvent } from "../wire";

const all: Wanted = { selected: "", disabled: new Set(), onlyChanged: false, filter: "", notes: new Map() };
const changed = { ...all, onlyChanged: true };
const none = new Set<string>();

// pipeline is a run of A, which changed something, B, which did not, and a sequence of C, which did, and D, which was skipped.
function pipeline(): RunModel {
  const m = new RunModel("r");
  m.apply([
    started(plan("1/default", "1.1/A", "1.2/B", "1.3/seq", "1.3.1/C", "1.3.2/D")), finished(1, "1.1/A", [change("main", "h0", "h1")]), finished(2, "1.2/B", []),
    finished(3, "1.3.1/C", [change("main", "h1", "h2")]), skipped(4, "1.3.2/D", "disabled"),
  ]);
  return m;
}

const names = (v: Visible): string => v.steps.map((s) => s.name).join(" ");

test("all steps are shown but the one that holds the pipeline, or those that changed something, or those of a name", () => {
  const m = pipeline();
  const v = new Visible();
  assert.equal(v.update(m, all, none), true);
  assert.equal(names(v), "Imported module A B seq C D");
  assert.deepEqual([v.hidden, v.base], [0, 1]);
  assert.equal(v.update(m, all, none), false);
  assert.equal(v.update(m, changed, none), true);
  assert.equal(names(v), "Imported module A seq C D");
  assert.equal(v.hidden, 1);
  v.update(m, { ...changed, selected: "1.2/B" }, none);
  assert.equal(names(v), "Imported module A B seq C D");
  v.update(m, { ...changed, selected: "1.1/A" }, none);
  assert.equal(names(v), "Imported module A seq C D");
  v.update(m, { ...all, filter: "c" }, none);
  assert.equal(names(v), "seq C");
  v.update(m, { ...changed, disabled: new Set(["B"]) }, new Set(["1.3/seq"]));
  assert.equal(names(v), "Imported module A B seq");
  assert.equal(v.indexOf(m.steps.get("1.3/seq")), 3);
  assert.equal(v.indexOf(m.steps.get("1.3.1/C")), -1);
});

test("a step is told which one it is of those beside it", () => {
  const m = pipeline();
  const v = new Visible();
  v.update(m, changed, none);
  assert.deepEqual(v.steps.map((_, i) => Object.values(v.place(i)).join("/")), ["1/1", "1/2", "2/2", "1/2", "2/2"]);
});

test("what happens in the run changes the list", () => {
  const m = pipeline();
  const v = new Visible();
  v.update(m, changed, none);
  m.apply([event(5, "pass_started", "1.4/E", "1/default"), finished(6, "1.4/E", [])]);
  assert.equal(v.update(m, changed, none), false);
  m.apply([finished(7, "1.2/B", [change("main", "h2", "h3")])]);
  assert.equal(v.update(m, changed, none), true);
  assert.equal(names(v), "Imported module A B seq C D");
});

// slow is what is shown, said the long way.
function slow(m: RunModel, want: Wanted, closed: Set<string>): string {
  const filter = want.filter.toLowerCase();
  const matches = (step: Step): boolean => {
    if (filter && !fuzzy(step.name.toLowerCase(), filter)) return step.children.some(matches);
    if (!want.onlyChanged || filter || step.path === want.selected || step === m.imported || want.disabled.has(step.name) || want.notes.has(step.path)) return true;
    if (step.children.length > 0) return step.children.some(matches);
    return step.status === "changed" || step.status === "failed" || (step.status === "skipped" && step.reason !== "stopped");
  };
  const open = (step: Step): boolean => {
    const above = m.steps.get(step.parent);
    return !above || (!closed.has(above.path) && open(above));
  };
  const roots = m.roots.filter((step) => step.children.length > 0);
  return m.all().filter((s) => !(roots.length === 1 && s === roots[0]) && open(s) && matches(s)).map((s) => s.path).join(" ");
}

test("of any run the list is the same as when it is made step by step", () => {
  const n = random(41);
  for (let round = 0; round < 300; round++) {
    const m = new RunModel("r");
    m.apply([started([])]);
    const v = new Visible();
    const paths: string[] = [];
    for (let seq = 1; seq < 30; seq++) {
      const parent = paths.length > 0 && n(3) > 0 ? paths[n(paths.length)]! : "";
      const path = `${parent ? `${parent.split("/")[0]}.` : ""}${seq}/${"ABC"[n(3)]}`;
      paths.push(path);
      const events: WireEvent[] = [event(seq, "pass_started", path, parent)];
      events.push(n(5) === 0 ? skipped(seq, path, "disabled") : finished(seq, path, n(2) === 0 ? [] : [change("main", `h${seq}`, `i${seq}`)]));
      m.apply(events);
      const want: Wanted = { selected: paths[n(paths.length)]!, disabled: new Set(n(3) === 0 ? ["A"] : []), onlyChanged: n(2) === 0, filter: ["", "", "b"][n(3)]!, notes: new Map() };
      const closed = new Set(n(2) === 0 ? [paths[n(paths.length)]!] : []);
      v.update(m, want, closed);
      assert.equal(v.steps.map((s) => s.path).join(" "), slow(m, want, closed));
    }
  }
});
