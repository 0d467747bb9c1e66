import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { apart, counts, only, setApart, signature } from "./counts";
import { random } from "./testing";

beforeEach(() => setApart(true));

test("renamed and moved lines are taken off what was added and removed", () => {
  assert.deepEqual(counts({ added: 10, removed: 8, renamed: 3, moved: 2 }), { added: 5, removed: 3, renamed: 3, moved: 2 });
  assert.deepEqual(counts({ added: 1, removed: 0 }), { added: 1, removed: 0, renamed: 0, moved: 0 });
});

test("where they are not shown as such they count as added and removed", () => {
  setApart(false);
  assert.equal(apart(), false);
  assert.deepEqual(counts({ added: 10, removed: 8, renamed: 3, moved: 2 }), { added: 10, removed: 8, renamed: 0, moved: 0 });
  assert.equal(only({ added: 2, removed: 2, renamed: 2 }), "");
});

test("a difference of names or places alone is said to be that", () => {
  assert.equal(only({ added: 2, removed: 2, renamed: 2 }), "only renames");
  assert.equal(only({ added: 3, removed: 3, moved: 3 }), "only moved lines");
  assert.equal(only({ added: 3, removed: 3, renamed: 1, moved: 2 }), "only renames and moved lines");
  assert.equal(only({ added: 3, removed: 2, renamed: 2 }), "", "one line is new");
  assert.equal(only({ added: 0, removed: 0 }), "", "nothing differs");
});

test("random counts: no line is lost or counted twice, and the signature changes with what is shown", () => {
  const rnd = random(1);
  const seen = new Map<string, string>();
  for (let i = 0; i < 2000; i++) {
    const [renamed, moved, plus, minus] = [rnd(4), rnd(4), rnd(4), rnd(4)];
    const lines = { added: renamed + moved + plus, removed: renamed + moved + minus, renamed, moved };
    for (const on of [true, false]) {
      setApart(on);
      const c = counts(lines);
      assert.equal(c.added + c.renamed + c.moved, lines.added);
      assert.equal(c.removed + c.renamed + c.moved, lines.removed);
      assert.equal(only(lines) !== "", on && plus + minus === 0 && renamed + moved > 0);
      const shown = JSON.stringify(c);
      assert.equal(seen.get(signature(lines)) ?? shown, shown, "two looks share a signature");
      seen.set(signature(lines), shown);
    }
  }
  assert.equal(new Set(seen.values()).size, seen.size);
  assert.equal(signature(null), "");
});
