import assert from "node:assert/strict";
import { test } from "node:test";
import { type At, atOf, count, find, insert, move, pathOf, remove, replace, same, where, within, withOption } from "./stepsedit";
import { random } from "./testing";
import type { SettingsStep } from "../wire";

const tree = (): SettingsStep[] => [{ name: "A" }, { name: "seq", steps: [{ name: "B" }, { name: "C" }] }, { name: "D" }];
const names = (steps: SettingsStep[]): unknown[] => steps.map((s) => (s.steps ? [s.name, names(s.steps)] : s.name));

test("places are the numbers of steps", () => {
  assert.deepEqual(atOf("1.2.1"), [1, 0]);
  assert.deepEqual(atOf("1"), []);
  assert.equal(atOf("1.2r1"), null, "a required pass has no place of its own");
  assert.equal(atOf("import"), null);
  assert.equal(find(tree(), [1, 1])?.name, "C");
  assert.equal(find(tree(), [0, 0]), undefined);
});

test("steps move out of a sequence, into one, and past it", () => {
  assert.deepEqual(names(move(tree(), [1, 0], [0])!), ["B", "A", ["seq", ["C"]], "D"]);
  assert.deepEqual(names(move(tree(), [0], [1, 1])!), [["seq", ["B", "A", "C"]], "D"]);
  assert.deepEqual(names(move(tree(), [0], [3])!), [["seq", ["B", "C"]], "D", "A"]);
  assert.deepEqual(names(move(tree(), [2], [0])!), ["D", "A", ["seq", ["B", "C"]]]);
  assert.equal(move(tree(), [1], [1, 0]), null, "a sequence does not go inside of itself");
  const steps = tree();
  assert.equal(move(steps, [1], [1]), steps);
});

test("a sequence that loses its last step goes", () => {
  const one: SettingsStep[] = [{ name: "A" }, { name: "seq", steps: [{ name: "inner", steps: [{ name: "B" }] }] }];
  assert.deepEqual(names(remove(one, [1, 0, 0])), ["A"]);
  assert.deepEqual(names(move(one, [1, 0, 0], [0])!), ["B", "A"]);
});

test("words for a place", () => {
  assert.equal(where(tree(), "1.1/A"), "is now before seq, 1 of 3");
  assert.equal(where(tree(), "1.2.2/C"), "is now after B, 2 of 2 in seq");
  assert.equal(where([{ name: "A" }], "1.1/A"), "is now before all, 1 of 1");
});

test("an option that is its default again leaves no trace", () => {
  assert.deepEqual(withOption({ name: "A" }, "n", 3), { name: "A", options: { n: 3 } });
  assert.deepEqual(withOption({ name: "A", options: { n: 3 } }, "n", undefined), { name: "A" });
  assert.deepEqual(withOption({ name: "A", options: { n: 3, m: 1 } }, "n", undefined), { name: "A", options: { m: 1 } });
});

// all lists the places of a tree, those behind the last steps too where ends.
function all(steps: SettingsStep[], ends: boolean, above: At = []): At[] {
  const out = steps.flatMap((s, i) => [[...above, i], ...all(s.steps ?? [], ends && s.steps !== undefined, [...above, i])]);
  return ends ? [...out, [...above, steps.length]] : out;
}

// flat lists the passes in the order in which they run.
const flat = (steps: SettingsStep[]): SettingsStep[] => steps.flatMap((s) => (s.steps ? flat(s.steps) : [s]));

test("random edits: what stays is the same object in the same order, and nothing that is given changes", () => {
  const rnd = random(21);
  for (let run = 0; run < 400; run++) {
    let n = 0;
    const grow = (depth: number): SettingsStep[] =>
      Array.from({ length: 1 + rnd(4) }, () => (depth < 2 && rnd(4) === 0 ? { name: `seq${n++}`, steps: grow(depth + 1) } : { name: `P${n++}` }));
    const steps = grow(0);
    const text = JSON.stringify(steps);
    const places = all(steps, false);
    const gaps = all(steps, true);
    const from = places[rnd(places.length)]!;
    const to = gaps[rnd(gaps.length)]!;
    const moved = find(steps, from)!;
    const old = flat(steps);
    const own = new Set(flat([moved]));

    const out = move(steps, from, to);
    if (within(to, from)) assert.equal(out, same(from, to) ? steps : null);
    else {
      const want = old.filter((s) => !own.has(s));
      // The steps before the gap stay before what moves there.
      const before = new Set(flat(steps.map((s, i) => cut(s, [i], to)).filter((s): s is SettingsStep => s !== null)));
      const k = want.findIndex((s) => !before.has(s));
      want.splice(k < 0 ? want.length : k, 0, ...flat([moved]));
      assert.deepEqual(flat(out!).map((s) => s.name), want.map((s) => s.name), `${text} from ${from} to ${to}`);
      assert.ok(flat(out!).every((s) => old.includes(s)), "steps stay the same objects");
      assert.equal(find(out!, atOf(pathOf(out!, moved).split("/")[0]!)!), moved);
    }

    assert.deepEqual(flat(remove(steps, from)), old.filter((s) => !own.has(s)));
    const fresh: SettingsStep = { name: "new" };
    const more = insert(steps, to, fresh);
    assert.equal(find(more, to), fresh);
    assert.deepEqual(flat(more).filter((s) => s !== fresh), old);
    assert.equal(find(replace(steps, from, fresh), from), fresh);
    assert.equal(count(more, "new"), 1);
    assert.equal(JSON.stringify(steps), text);
  }
});

// cut returns what of a step stands before a gap; null for nothing.
function cut(s: SettingsStep, at: At, gap: At): SettingsStep | null {
  for (let k = 0; k < at.length; k++) {
    const limit = gap[k];
    if (limit === undefined || at[k]! > limit) return null;
    if (at[k]! < limit) return s;
  }
  if (gap.length === at.length || !s.steps) return null;
  return { ...s, steps: s.steps.map((x, i) => cut(x, [...at, i], gap)).filter((x): x is SettingsStep => x !== null) };
}
