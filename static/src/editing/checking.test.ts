import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../store/api";
import { Checking } from "./checking";

// Asked is a question that the test answers.
interface Asked {
  signal: AbortSignal;
  answer(found: string): void;
  fail(err: unknown): void;
}

function checking(): { asked: Asked[]; said: string[]; of: Checking<string> } {
  const asked: Asked[] = [];
  const said: string[] = [];
  const of = new Checking<string>({
    ask: (signal) => new Promise((answer, fail) => asked.push({ signal, answer, fail })),
    show: (found) => said.push(found),
    failed: (message) => said.push(`failed: ${message}`),
  }, 1);
  return { asked, said, of };
}

// until waits for what a timer does.
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
}

test("an answer that was overtaken is dropped", async () => {
  const { asked, said, of } = checking();
  const first = of.now();
  const second = of.now();
  assert.ok(asked[0]!.signal.aborted);
  asked[1]!.answer("new");
  asked[0]!.answer("old");
  await Promise.all([first, second]);
  assert.deepEqual(said, ["new"]);
  assert.equal(of.found, "new");
});

test("typing forgets what was found, and is checked once it pauses", async () => {
  const { asked, said, of } = checking();
  of.say("before");
  of.typed();
  of.typed();
  assert.equal(of.found, null);
  await until(() => asked.length > 0);
  of.typed(); // the answer under way is about an older text
  asked[0]!.answer("old");
  await until(() => asked.length > 1);
  asked[1]!.answer("after");
  await until(() => of.found !== null);
  assert.deepEqual(said, ["before", "after"]);
  assert.equal(asked.length, 2);
});

test("a busy server is asked again when it says so, unless the editor has been closed", async () => {
  for (const closed of [false, true]) {
    const { asked, said, of } = checking();
    const first = of.now();
    asked[0]!.fail(new RequestError("busy", 429, 0.001));
    await first;
    assert.deepEqual(said, ["failed: busy"]);
    if (closed) of.stop();
    await new Promise((done) => setTimeout(done, 20));
    assert.equal(asked.length, closed ? 1 : 2);
  }
});

test("what is known is not asked again", async () => {
  const { asked, said, of } = checking();
  const known = of.known();
  asked[0]!.answer("found");
  assert.equal(await known, "found");
  assert.equal(await of.known(), "found");
  assert.equal(asked.length, 1);
  assert.deepEqual(said, ["found"]);
  const failing = checking();
  const never = failing.of.known();
  failing.asked[0]!.fail(new Error("gone"));
  await assert.rejects(never, /gone/);
});
