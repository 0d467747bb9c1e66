import assert from "node:assert/strict";
import { test } from "node:test";
import { RunModel } from "../store/model";
import { parseState } from "../store/state";
import { change, event, finished, plan, started } from "../store/testing";
import { makeViews } from "./registry";
import type { Actions, At, View } from "./view";

const nothing = (): undefined => undefined;
const on: Actions = { go: nothing, select: nothing, open: nothing, line: nothing, history: nothing, count: nothing, preferredDiff: () => "unified", runs: () => ({ settings: {}, set: nothing, session: null }), refusal: () => "" };
const all = makeViews(on, { source: "hash", compiler: true });
const view = (name: string): View => all.find((v) => v.name === name)!;

// at is a run whose first step changed main and added g, and whose second step changed nothing.
function at(path: string, fn: string): At {
  const model = new RunModel("r");
  model.apply([
    started(plan("1/default", "1.1/A", "1.2/B", "1.3/C")), event(1, "pass_started", "1.1/A"), finished(2, "1.1/A", [change("g", undefined, "g1"), change("main", "h0", "h1")]),
    event(3, "pass_started", "1.2/B"), finished(4, "1.2/B", []), event(5, "pass_started", "1.3/C"),
  ]);
  return { model, step: model.steps.get(path) ?? null, fn, state: parseState("", "r", "unified", [], "compact") };
}

const keys = (v: View, where: At): string[] => v.list(where).entries.map((e) => e.key);

test("the tabs of the page, in their order; what the page cannot offer is not there", () => {
  assert.deepEqual(all.map((v) => v.label), ["Diff", "Diff", "Diff", "IR", "Graph", "Loops", "Metrics", "Profile", "Code", "Result", "Source"]);
  assert.deepEqual(makeViews(on, { source: "", compiler: false }).map((v) => v.name), ["unified", "split", "columns", "ir", "metrics", "profile", "code", "result"]);
});

test("views have names of their own, keys of their own, and an element only where they ask for one", () => {
  assert.equal(new Set(all.map((v) => v.name)).size, all.length);
  const used = all.flatMap((v) => (v.key ? [v.key.key] : []));
  assert.equal(new Set(used).size, used.length);
  for (const v of all) {
    const content = v.content(at("1.1/A", "main"));
    if ("nothing" in content) continue; // main is no kernel, of which it shows the loops
    assert.equal("panel" in content, v.panel ?? false, v.name);
  }
});

test("a diff lists what the step changed and shows what changed most at first", () => {
  for (const name of ["unified", "split"]) {
    assert.deepEqual(keys(view(name), at("1.1/A", "")), ["g", "main"]);
    assert.equal(view(name).first(at("1.1/A", ""), ["g", "main"]), "main", "main was there before");
    assert.equal(view(name).title(at("1.1/A", "main")), "A › main");
    assert.equal(view(name).list(at("1.1/A", "")).count, "2 changed, 0 same");
    assert.ok("rows" in view(name).content(at("1.1/A", "main")));
    assert.ok("nothing" in view(name).content(at("1.2/B", "main")));
  }
  const here = at("1.1/A", "main");
  assert.equal(view("unified").content(here).key, view("split").content(here).key, "in its other form the same text keeps its place");
});

test("the imported module has no diff: its text is shown instead", () => {
  const here = at("import", "main");
  assert.equal(view("unified").instead?.(here), "ir");
  assert.equal(view("unified").instead?.(at("1.1/A", "main")), "");
  assert.equal(view("ir").title(here), "main as imported");
  assert.equal(view("unified").first(here, ["*", "k", "main"]), "main");
});

test("the text after a step: each function, and all of them", () => {
  const ir = view("ir");
  assert.deepEqual(keys(ir, at("1.1/A", "")), ["*", "g", "k", "main"]);
  assert.equal(ir.first(at("1.1/A", ""), ["*", "g", "k", "main"]), "main");
  assert.equal(ir.first(at("1.1/A", ""), ["*", "g"]), "g");
  assert.equal(ir.title(at("1.1/A", "*")), "module after A");
  const content = ir.content(at("1.2/B", "main"));
  assert.ok(content.key!.endsWith("h1"), "what the step left as it was, as the one before it made it");
});

test("a graph is that of the change, or of the function where there is none, and waits for its step", () => {
  const graph = view("graph");
  assert.deepEqual(graph.list(at("1.1/A", "")).entries.map((e) => `${e.key} ${e.note ?? ""}`), ["g new", "main "]);
  assert.deepEqual(graph.list(at("1.1/A", "")).same?.().map((e) => e.key), ["k"], "what the step left alone is shown too");
  assert.equal(graph.first(at("1.2/B", ""), []), "main");
  assert.equal(graph.title(at("1.1/A", "k")), "k after A");
  assert.equal(graph.title(at("1.1/A", "main")), "A › main");
  assert.notEqual(graph.content(at("1.1/A", "main")).key, graph.content(at("1.2/B", "main")).key);
  assert.ok("nothing" in graph.content(at("1.3/C", "main")), "the step runs");
  assert.ok("nothing" in graph.content(at("1.1/A", "gone")));
});

test("code is there when it has been made", () => {
  const code = view("code");
  const here = at("1.1/A", "k2");
  assert.ok("nothing" in code.content(here));
  here.model.apply([{ seq: 6, type: "code_generated", body: { target: "wasm", bytes: 9, vm: "v", kernels: [{ name: "k10", text: "b", lines: 2, bytes: 4 }, { name: "k2", text: "a", lines: 1, bytes: 5 }] } } as never]);
  assert.deepEqual(keys(code, here), ["(vm)", "k2", "k10"], "as people count");
  assert.deepEqual(code.list(here).entries.map((e) => e.note), [undefined, "1", "2"], "lines");
  here.model.apply([{ seq: 7, type: "profiled", body: { function: "main", calls: [{ name: "k2", kernel: true, in: "main", count: 1 }] }, measured: { profile: { runs: 1, median: 50, best: 50, calls: [{ median: 10, best: 10 }], copies: 0, machine: 40, took: 50 } } } as never]);
  assert.deepEqual(code.list(here).entries.map((e) => e.note), [undefined, "20 %", "2"], "shares of the time where they are known");
  assert.ok("rows" in code.content(here));
  assert.deepEqual(code.subject?.(here), { step: "code", function: "k2" });
  assert.deepEqual(code.subject?.({ ...here, fn: "(vm)" }), { step: "code", function: "main" });
  assert.equal(code.subject?.({ ...here, fn: "" }), null);
});

test("a line of the source is a question about its history", () => {
  const here = at("1.1/A", "");
  assert.equal(view("source").subject?.(here), null);
  assert.deepEqual(view("source").subject?.({ fn: "", state: { ...here.state, line: 3 } }), { node: "line 3" });
});
