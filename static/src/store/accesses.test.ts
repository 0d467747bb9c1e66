import assert from "node:assert/strict";
import { test } from "node:test";
import { accessesOf } from "./accesses";
import { RunModel } from "./model";
import { change, event, finished, plan, started } from "./testing";
import type { Access, WireEvent } from "../wire";

function failed(accesses: Access[] | undefined, passes = true): RunModel {
  const m = new RunModel("r");
  m.apply([
    started(plan("1/default", "1.1/A", "1.2/B")), event(1, "pass_started", "1/default"),
    ...(passes ? [event(2, "pass_started", "1.1/A"), finished(3, "1.1/A", [change("k", "k0", "k1")]), event(4, "pass_started", "1.2/B"), finished(5, "1.2/B", [])] : []),
    { seq: 6, type: "run_finished", body: { status: "failed", changed: 1, error: { kind: "execute", message: "a race", ...(accesses && { accesses }) } } } as WireEvent,
  ]);
  return m;
}

test("each access leads to its line after the last pass, and to its place in the source", () => {
  const list = accessesOf(failed([
    { thread: "threadIdx.x = 0", does: "reads", function: "k", line: 7, code: "B[0] = S[1]", span: { source: "k.py", line: 4, column: 9 } },
    { thread: "threadIdx.x = 1", does: "writes", function: "k", line: 5, code: "S[1] = A[1]" },
    { thread: "threadIdx.x = 2", function: "k", span: { source: "k.py", line: 3 } },
  ]));
  assert.deepEqual(list.map((x) => x.what), ["thread (threadIdx.x = 0) reads", "thread (threadIdx.x = 1) writes", "thread (threadIdx.x = 2) does not come to it"]);
  assert.deepEqual(list[0]!.line, { text: "k, line 7: B[0] = S[1]", to: { pass: "1.2/B", view: "ir", fn: "k", line: 7 } });
  assert.deepEqual(list[0]!.source, { text: "k.py:4:9", to: { view: "source", fn: "", line: 4 } });
  assert.equal(list[1]!.source, null);
  assert.equal(list[2]!.line, null);
  assert.equal(list[2]!.source!.text, "k.py:3:1");
});

test("other errors have none, and a run that ended before its first pass has no line to go to", () => {
  assert.deepEqual(accessesOf(failed(undefined)), []);
  assert.deepEqual(accessesOf(new RunModel("r")), []);
  const [only] = accessesOf(failed([{ thread: "0", does: "reads", function: "k", line: 7 }], false));
  assert.equal(only!.line, null);
});
