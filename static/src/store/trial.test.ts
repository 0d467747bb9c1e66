import assert from "node:assert/strict";
import { test } from "node:test";
import { Trials, would } from "./trial";
import type { Tried } from "../wire";

const tried = (name: string, rest: Partial<Tried> = {}): Tried => ({ name, functions: 56, changed: [], ...rest });

test("what a pass would do, in words", () => {
  assert.equal(would(tried("A", { changed: ["a", "b"] })), "would change 2 of 56 functions");
  assert.equal(would(tried("A")), "would change nothing");
  assert.equal(would(tried("A", { changed: ["a", "b"], functions: 1 })), "would change 2 of 2 functions");
  assert.equal(would(tried("A", { changed: ["a"], functions: 1 })), "would change 1 of 1 function");
  assert.equal(would(tried("A", { skipped: "level 3 > 2" })), "would not run: level 3 > 2");
  assert.equal(would(tried("A", { error: "it took longer than 2s" })), "would fail: it took longer than 2s");
});

test("a few are asked for at a time, the wanted first, and none twice", async () => {
  const asked: string[][] = [];
  const trials: Trials = new Trials(async (names) => {
    asked.push(names);
    await Promise.resolve();
    if (asked.length === 1) trials.want(["F", "A", "G"]);
    return names.map((n) => tried(n));
  }, () => undefined);
  trials.want(["A", "B", "C", "D", "E"]);
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(asked, [["A", "B", "C", "D"], ["F", "G"]]);
  assert.equal(trials.of("G")?.functions, 56);
  assert.equal(trials.of("E"), undefined);
});

test("it ends when it is told to, after a failure, and where nothing is answered", async () => {
  for (const answer of [() => Promise.reject(new Error("busy")), () => Promise.resolve([])]) {
    let n = 0;
    const trials = new Trials(() => {
      n++;
      return answer();
    }, () => undefined);
    trials.want(["A"]);
    await new Promise((done) => setTimeout(done, 5));
    trials.want(["B"]);
    await new Promise((done) => setTimeout(done, 5));
    assert.equal(n, 1);
  }
  const trials = new Trials(() => assert.fail("asked after its end"), () => undefined);
  trials.end();
  trials.want(["A"]);
});
