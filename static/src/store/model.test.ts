import assert from "node:assert/strict";
import { test } from "node:test";
import { failedStep, RunModel, type Step, whySkipped } from "./model";
import { change, event, finished, plan, random, skipped, started } from "./testing";
import type { WireEvent, WireFunction } from "../wire";

test("the plan is a tree of waiting steps behind the imported module", () => {
  const m = new RunModel("r");
  m.apply([started(plan("1/default", "1.1/A", "1.2/seq", "1.2.1/B"))]);
  assert.deepEqual(m.all().map((s) => [s.path, s.depth, s.status]), [
    ["import", 0, "same"], ["1/default", 0, "waiting"], ["1.1/A", 1, "waiting"], ["1.2/seq", 1, "waiting"], ["1.2.1/B", 2, "waiting"],
  ]);
  assert.equal(m.imported, m.all()[0]);
  assert.equal(m.tally().running, null);
});

test("a step runs, ends and says what it changed", () => {
  const m = new RunModel("r");
  m.apply([started(plan("1/default", "1.1/A", "1.2/B")), event(1, "pass_started", "1/default"), event(2, "pass_started", "1.1/A")]);
  assert.equal(m.tally().running?.path, "1.1/A");
  m.apply([finished(3, "1.1/A", [change("main", "h0", "h1")]), event(4, "pass_started", "1.2/B"), finished(5, "1.2/B", [])]);
  assert.equal(m.steps.get("1.1/A")?.status, "changed");
  assert.equal(m.steps.get("1.2/B")?.status, "same");
  assert.equal(m.tally().running?.path, "1/default");
  // The outermost sequence is no pass.
  const { done, total, changed } = m.tally();
  assert.deepEqual([done, total, changed], [2, 2, 1]);
  assert.equal(m.version, 6);
});

test("a pass that another requires stands before it", () => {
  const m = new RunModel("r");
  m.apply([started(plan("1/default", "1.1/A", "1.2/B")), event(1, "pass_started", "1.2r1/Needed", "1/default")]);
  assert.deepEqual(m.steps.get("1/default")?.children.map((s) => s.path), ["1.1/A", "1.2r1/Needed", "1.2/B"]);
});

test("a sequence that is skipped stands for its steps", () => {
  const m = new RunModel("r");
  m.apply([started(plan("1/default", "1.1/seq", "1.1.1/A", "1.1.2/B", "1.2/C")), skipped(1, "1.1/seq", "disabled")]);
  assert.deepEqual(["1.1/seq", "1.1.1/A", "1.1.2/B", "1.2/C"].map((p) => m.steps.get(p)?.status), ["skipped", "skipped", "skipped", "waiting"]);
  assert.equal(m.steps.get("1.1.2/B")?.reason, "disabled");
});

test("a failure keeps what came before; the end of the run fails what runs and skips what waits", () => {
  const m = new RunModel("r");
  m.apply([
    started(plan("1/default", "1.1/A", "1.2/B", "1.3/C")), event(1, "pass_started", "1/default"), event(2, "pass_started", "1.1/A"),
    finished(3, "1.1/A", [change("main", "h0", "h1")]), event(4, "pass_started", "1.2/B"),
    { seq: 5, type: "pass_failed", step: "1.2/B", parent: "1/default", body: { name: "B", level: 0, error: { kind: "pass", message: "no" } } } as WireEvent,
    { seq: 6, type: "run_finished", body: { status: "failed", changed: 1 } } as WireEvent,
  ]);
  assert.equal(m.steps.get("1.2/B")?.error?.message, "no");
  assert.equal(m.steps.get("1/default")?.status, "failed");
  assert.equal(m.steps.get("1.3/C")?.status, "skipped");
  assert.equal(m.steps.get("1.3/C")?.reason, "stopped");
  assert.deepEqual(m.functionsAt(m.steps.get("1.2/B")!).map((f) => f.text), ["k0", "h1"]);
});

test("the step that a run failed in is the innermost, and none whose failure the step around it went on after", () => {
  const fail = (seq: number, step: string, parent: string): WireEvent =>
    ({ seq, type: "pass_failed", step, parent, body: { name: step.slice(step.indexOf("/") + 1), level: 0, error: { kind: "pass", message: "no" } } }) as WireEvent;
  const begin = [started(plan("1/default", "1.1/A", "1.2/B")), event(1, "pass_started", "1/default"), event(2, "pass_started", "1.1/A"), event(3, "pass_started", "1.1.1/X", "1.1/A")];
  const end = { seq: 9, type: "run_finished", body: { status: "failed", changed: 1 } } as WireEvent;
  const inside = new RunModel("r");
  inside.apply([...begin, fail(4, "1.1.1/X", "1.1/A"), fail(5, "1.1/A", "1/default"), fail(6, "1/default", "")]);
  assert.equal(failedStep(inside)?.path, "1.1.1/X");
  const caught = new RunModel("r");
  caught.apply([...begin, fail(4, "1.1.1/X", "1.1/A"), finished(5, "1.1/A", [change("main", "h0", "h1")]), event(6, "pass_started", "1.2/B")]);
  assert.equal(failedStep(caught), undefined);
  caught.apply([end]); // in B, which runs
  assert.equal(failedStep(caught)?.path, "1.2/B");
  const outer = new RunModel("r");
  outer.apply([...begin, finished(4, "1.1.1/X", []), fail(5, "1.1/A", "1/default"), fail(6, "1/default", "")]);
  assert.equal(failedStep(outer)?.path, "1.1/A");
});

test("events of a kind that is not known change nothing", () => {
  const m = new RunModel("r");
  m.apply([started(plan("1/default")), { seq: 1, type: "of_tomorrow", body: {} } as unknown as WireEvent]);
  assert.equal(m.all().length, 2);
  assert.equal(m.version, 2);
});

test("messages go to their step, and without one to the run", () => {
  const m = new RunModel("r");
  const say = (step?: string): WireEvent => ({ seq: 1, type: "diagnostic", ...(step ? { step } : {}), body: { severity: "warning", message: "look" } }) as WireEvent;
  m.apply([started(plan("1/default", "1.1/A")), say("1.1/A"), say("1.9/Gone"), say()]);
  assert.equal(m.steps.get("1.1/A")?.diagnostics.length, 1);
  assert.equal(m.diagnostics.length, 2);
});

test("times add up, and latencies are sorted", () => {
  const m = new RunModel("r");
  m.apply([
    { ...started(plan("1/default", "1.1/A")), measured: { at: 10 } } as WireEvent,
    { ...finished(1, "1.1/A", []), measured: { at: 60, total: 30, self: 30 } } as WireEvent,
    { ...finished(1, "1/default", []), measured: { at: 62, total: 35, self: 5 } } as WireEvent,
    { seq: 2, type: "code_generated", body: { target: "wasm", kernels: [], bytes: 1 }, measured: { at: 80, total: 15 } } as unknown as WireEvent,
    { seq: 3, type: "executed", body: { function: "main", inputs: [], outputs: [] }, measured: { latency: [30, 10, 20], compile: 5, at: 120 } } as unknown as WireEvent,
  ]);
  assert.deepEqual(m.executions[0]?.latency, [10, 20, 30]);
  assert.equal(m.duration(), 120);
  assert.deepEqual(m.parts(), [["import", 10], ["passes", 35], ["recording and waiting", 20], ["code generation", 15], ["engine", 5], ["execution", 35]]);
});

// naive is the module after an event, by replaying all changes from the start.
function naive(events: WireEvent[], until: number): WireFunction[] {
  const module = new Map<string, WireFunction>();
  for (const e of events) {
    if (e.type === "run_started") for (const f of e.body.functions) module.set(f.name, f);
    if (e.type !== "pass_finished" || e.seq > until) continue;
    for (const c of e.body.functions) {
      if (c.change === "removed") module.delete(c.name);
      else module.set(c.name, { name: c.name, kind: c.kind, text: c.after ?? "", lines: c.lines_after });
    }
  }
  return [...module.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

test("the module after and before each step of random runs is what replaying the changes gives", () => {
  const rnd = random(7);
  for (let run = 0; run < 200; run++) {
    const n = 1 + rnd(8);
    const names = ["main", "f", "g", "h"];
    const texts = new Map([["main", "h0"], ["k", "k0"]]);
    const events: WireEvent[] = [started(plan("1/default", ...Array.from({ length: n }, (_, i) => `1.${i + 1}/P${i}`)))];
    let seq = 0;
    for (let i = 0; i < n; i++) {
      const step = `1.${i + 1}/P${i}`;
      if (rnd(5) === 0) {
        events.push(skipped(++seq, step, "opt_level"));
        continue;
      }
      events.push(event(++seq, "pass_started", step));
      const touched = names.filter(() => rnd(3) === 0).map((name) => {
        const before = texts.get(name);
        const after = before !== undefined && rnd(3) === 0 ? undefined : `t${run}.${i}.${name}`;
        if (after === undefined) texts.delete(name);
        else texts.set(name, after);
        return change(name, before, after);
      });
      events.push(finished(++seq, step, touched));
    }
    const m = new RunModel("r");
    // The log may come in any pieces.
    for (let i = 0; i < events.length;) {
      const k = 1 + rnd(4);
      m.apply(events.slice(i, i + k));
      i += k;
    }
    const plain = (list: WireFunction[]): unknown => list.map(({ name, kind, text, lines }) => ({ name, kind, text, lines }));
    assert.deepEqual(plain(m.functionsAt(null)), plain(naive(events, -1)), "as imported");
    for (const step of m.all()) {
      if (step === m.imported || step.path === "1/default") continue;
      assert.deepEqual(plain(m.functionsAt(step)), plain(naive(events, step.seq)), `run ${run}, after ${step.path}`);
      assert.deepEqual(plain(m.functionsBefore(step)), plain(naive(events, (step.began ?? step.seq) - 1)), `run ${run}, before ${step.path}`);
    }
    assert.deepEqual(new Map(naive(events, Infinity).filter((f) => f.name !== "k").map((f) => [f.name, f.text])), new Map([...texts].filter(([name]) => name !== "k").sort()));
  }
});

test("every step of a random tree is listed once, behind the one that it is in", () => {
  const rnd = random(3);
  for (let run = 0; run < 100; run++) {
    const paths = ["1/default"];
    const open = ["1"];
    const children = new Map<string, number>([["1", 0]]);
    for (let i = 0; i < 20; i++) {
      const above = open[rnd(open.length)]!;
      const k = children.get(above)! + 1;
      children.set(above, k);
      children.set(`${above}.${k}`, 0);
      open.push(`${above}.${k}`);
      paths.push(`${above}.${k}/S${i}`);
    }
    const m = new RunModel("r");
    m.apply([started(plan(...paths))]);
    const all = m.all();
    assert.deepEqual(all.map((s) => s.path).sort(), ["import", ...paths].sort());
    const at = new Map<Step, number>(all.map((s, i) => [s, i]));
    for (const s of all) for (const c of s.children) assert.ok(at.get(c)! > at.get(s)! && c.depth === s.depth + 1);
  }
});

test("why a pass did not run is said in a sentence", () => {
  for (const [reason, text, want] of [
    ["disabled", "disabled", "It is turned off; its tick turns it on."],
    ["opt_level", "level 3 > 2", "It runs from opt_level 3 on."],
    ["stopped", "not reached", "Not reached."],
    ["instrument", "instrument X returned False", "Instrument X returned False."],
  ] as const) assert.equal(whySkipped({ reason, text, level: 3 }), want);
});
