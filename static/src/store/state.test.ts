import assert from "node:assert/strict";
import { test } from "node:test";
import { formatState, parseState, type State } from "./state";
import { random } from "./testing";

const views = ["unified", "split", "ir"];
const parse = (query: string): State => parseState(query, "r0", "unified", views, "compact");

test("what an address does not say is as given", () => {
  assert.deepEqual(parse(""), { run: "r0", pass: "", fn: "", view: "unified", line: 0, history: "", search: "", rewrite: "", columns: [], note: "", form: "compact" });
  assert.equal(parse("?view=nonsense").view, "unified");
  for (const bad of ["-3", "x", "", "NaN"]) assert.equal(parse(`?line=${bad}`).line, 0, bad);
});

test("the form of an address comes before the reader's", () => {
  const reader = (query: string): string => parseState(query, "r0", "unified", views, "exact").form;
  assert.deepEqual(["", "?form=compact", "?form=exact", "?form=x"].map(reader), ["exact", "compact", "exact", "exact"]);
  assert.equal(formatState({ ...parse(""), form: "exact" }), "?run=r0&view=unified&form=exact");
});

test("slashes stay readable, all else is escaped", () => {
  const s = { ...parse(""), pass: "1.2/Fuse<i>", view: "ir" };
  assert.equal(formatState(s), "?run=r0&pass=1.2/Fuse%3Ci%3E&view=ir");
});

test("random states come back from their address", () => {
  const rnd = random(2);
  const text = (): string => Array.from({ length: rnd(8) }, () => "a/&=?#% +ä<\"'"[rnd(13)]).join("");
  for (let i = 0; i < 2000; i++) {
    const s: State = { run: text() || "r0", pass: text(), fn: text(), view: views[rnd(3)]!, line: rnd(3) * 17, history: text(), search: text(), rewrite: text(), columns: Array.from({ length: rnd(4) }, text), note: text(), form: rnd(2) === 0 ? "exact" : "compact" };
    assert.deepEqual(parse(formatState(s)), s);
  }
});
