import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace, placeName, queryOf, textOf } from "./presented";
import { parseState, type State } from "./state";

const views = ["unified", "ir"];
const state: State = { run: "r", pass: "1.2/FuseOps", fn: "main", view: "ir", line: 7, history: "", search: "a b", rewrite: "3", columns: ["1/A", "2/B"], note: "n", form: "compact" };

test("a follower reads the state that the presenter has, whatever form they prefer", () => {
  for (const form of ["compact", "exact"] as const) {
    for (const own of ["compact", "exact"] as const) assert.deepEqual(parseState(queryOf({ ...state, form }), "", "unified", views, own), { ...state, form });
  }
});

test("places in one text are told from those in another", () => {
  const here = textOf(queryOf(state));
  for (const same of [{ line: 9 }, { note: "" }, { search: "" }, { rewrite: "" }]) assert.equal(textOf(queryOf({ ...state, ...same })), here);
  for (const other of [{ run: "s" }, { pass: "" }, { fn: "f" }, { view: "unified" }, { columns: ["1/A"] }, { form: "exact" as const }]) assert.notEqual(textOf(queryOf({ ...state, ...other })), here);
});

test("a place has a name", () => {
  assert.equal(placeName({ query: queryOf(state) }), "FuseOps › main");
  assert.equal(placeName({ query: "?view=ir" }), "");
  assert.equal(placeName(undefined), "");
});

test("of many values the first, the last, and one for each stretch of time are handed on", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: number[] = [];
  const pace = new Pace<number>(100, (n) => sent.push(n));
  for (let n = 0; n < 50; n++) {
    pace.push(n);
    t.mock.timers.tick(10);
  }
  t.mock.timers.tick(100);
  assert.deepEqual(sent, [0, 9, 19, 29, 39, 49]);
  t.mock.timers.tick(1000);
  assert.equal(sent.length, 6);
  pace.push(60);
  assert.equal(sent.at(-1), 60);
  pace.push(61);
  pace.stop();
  t.mock.timers.tick(1000);
  assert.equal(sent.at(-1), 60);
  pace.push(62);
  assert.equal(sent.at(-1), 62);
});
