import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "./testing";
import { Undo } from "./undo";
import type { Settings } from "../wire";

test("nothing to undo, nothing to do again", () => {
  const u = new Undo();
  assert.equal(u.possible, false);
  assert.equal(u.back({}), null);
  assert.equal(u.forth({}), null);
});

test("settings that are not there any more come back as empty", () => {
  const u = new Undo();
  u.note({ opt_level: 2 });
  const back = u.back({ opt_level: 3, disabled: ["FuseOps"], steps: [{ name: "A" }] });
  assert.deepEqual(back, { steps: null, scripts: [], patches: [], schedules: [], disabled: [], required: [], config: {}, opt_level: 2 });
});

test("a target is none of undoing's business", () => {
  const u = new Undo();
  u.note({ target: "wasm", opt_level: 1 });
  assert.ok(!("target" in u.back({ target: "interp", opt_level: 2 })!));
});

test("a change after undoing ends the way forth", () => {
  const u = new Undo();
  u.note({ opt_level: 1 });
  assert.equal(u.back({ opt_level: 2 })?.opt_level, 1);
  u.note({ opt_level: 1 });
  assert.equal(u.forth({ opt_level: 3 }), null);
  assert.equal(u.back({ opt_level: 3 })?.opt_level, 1);
});

test("random changes, undone and done again, lead through the same settings as a list with a finger on it", () => {
  const rnd = random(9);
  for (let run = 0; run < 200; run++) {
    const u = new Undo();
    let now: Settings = { opt_level: 0 };
    let list = [0];
    let finger = 0;
    for (let i = 1; i < 60; i++) {
      const kind = rnd(3);
      const found = kind === 1 ? u.back(now) : kind === 2 ? u.forth(now) : null;
      if (kind === 0) {
        u.note(now);
        now = { ...now, opt_level: i };
        list = [...list.slice(0, finger + 1), i];
        finger++;
      } else {
        const next = finger + (kind === 1 ? -1 : 1);
        assert.equal(found === null, next < 0 || next >= list.length);
        if (found) {
          now = { ...now, ...found };
          finger = next;
        }
      }
      assert.equal(now.opt_level, list[finger]);
      assert.equal(u.possible, finger > 0);
    }
  }
});

test("it remembers the last hundred changes", () => {
  const u = new Undo();
  for (let i = 0; i < 150; i++) u.note({ opt_level: i });
  let n = 0;
  let last: Partial<Settings> | null = null;
  for (let found = u.back({}); found; found = u.back({})) {
    n++;
    last = found;
  }
  assert.equal(n, 100);
  assert.equal(last?.opt_level, 50);
});
