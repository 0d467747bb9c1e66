import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { DiffSource } from "./diffsource";
import { windowSize } from "./pages";
import { random } from "./testing";
import type { DiffRow, FunctionChange } from "../wire";

// A diff as the server lays it out: all rows, and the same with folds.
interface Laid {
  full: DiffRow[];
  folded: DiffRow[];
  hunks: { row: number; rows: number; before: number; after: number }[];
}

// lay makes a random diff: runs of changed lines and of lines that are the same, of which the inner ones of long runs are folded.
function lay(rnd: (n: number) => number): Laid {
  const out: Laid = { full: [], folded: [], hunks: [] };
  let before = 1;
  let after = 1;
  const same = (n: number): DiffRow[] => Array.from({ length: n }, () => ({ kind: "same", before: before++, after: after++, text: [["", `= ${after}`]] }) as DiffRow);
  const runs = 1 + rnd(6);
  for (let i = 0; i < runs; i++) {
    const quiet = same(rnd(3) === 0 ? rnd(1200) : rnd(12));
    const from = out.full.length;
    out.full.push(...quiet);
    if (quiet.length > 6) {
      const hidden = quiet.length - 6;
      const first = quiet[3]!;
      out.folded.push(...quiet.slice(0, 3), { kind: "fold", before: first.before, after: first.after, fold: { from: from + 3, count: hidden, lines: hidden } } as DiffRow, ...quiet.slice(-3));
    } else out.folded.push(...quiet);
    const lines: DiffRow[] = [];
    const start = { before, after };
    for (let k = 1 + rnd(4); k > 0; k--) {
      lines.push((rnd(2) === 0 ? { kind: "del", before: before++, text: [["", `- ${before}`]] } : { kind: "add", after: after++, text: [["", `+ ${after}`]] }) as DiffRow);
    }
    out.hunks.push({ row: out.folded.length, rows: lines.length, ...start });
    out.full.push(...lines);
    out.folded.push(...lines);
  }
  return out;
}

const real = globalThis.fetch;
let asked = 0;

// serve answers requests for a diff in windows.
function serve(d: Laid): void {
  globalThis.fetch = (async (path: string) => {
    asked++;
    const q = new URL(path, "http://x").searchParams;
    const rows = q.get("context") === "all" ? d.full : d.folded;
    const from = Number(q.get("from"));
    return new Response(JSON.stringify({ total: rows.length, rows: rows.slice(from, from + Number(q.get("count"))), hunks: d.hunks, lines_before: 9, lines_after: 1234 }), { headers: { "Content-Type": "application/json" } });
  }) as typeof fetch;
}

afterEach(() => {
  globalThis.fetch = real;
});

test("folds of random diffs open in place, in any order, as splicing their rows in would", async () => {
  const rnd = random(11);
  for (let run = 0; run < 60; run++) {
    const d = lay(rnd);
    serve(d);
    const source = await DiffSource.open({ before: "a", after: "b", view: "unified", form: "compact", context: 3 }, new AbortController().signal);
    const naive = d.folded.slice();
    assert.equal(source.digits, 4);
    for (;;) {
      await source.load(0, source.total);
      assert.equal(source.total, naive.length);
      assert.deepEqual(Array.from({ length: source.total }, (_, i) => source.get(i)), naive);
      const rows = source.hunks().map((x) => naive[x.row]);
      assert.deepEqual(rows, d.hunks.map((x) => d.folded[x.row]), "a hunk begins where it began");
      const folds = naive.flatMap((row, i) => (row.kind === "fold" ? [i] : []));
      if (folds.length === 0) break;
      const i = folds[rnd(folds.length)]!;
      const { from, count } = naive[i]!.fold!;
      assert.equal(await source.open(i), count);
      naive.splice(i, 1, ...d.full.slice(from, from + count));
    }
    assert.deepEqual(naive, d.full);
  }
});

test("each line of a random diff is found, and its fold opens for it", async () => {
  const rnd = random(12);
  for (let run = 0; run < 60; run++) {
    const d = lay(rnd);
    serve(d);
    const source = await DiffSource.open({ before: "a", after: "b", view: "unified", form: "compact", context: 3 }, new AbortController().signal);
    for (let k = 0; k < 8; k++) {
      const side = rnd(2) === 0 ? "before" : "after";
      const row = d.full[rnd(d.full.length)]!;
      const line = row[side];
      if (!line) continue;
      const i = await source.rowOfLine(line, side);
      await source.load(i, i + 1);
      assert.deepEqual(source.get(i), row, `line ${line} ${side}`);
    }
    assert.equal(await source.rowOfLine(1e6), -1);
  }
});

test("a window is asked for once", async () => {
  const d = lay(random(5));
  serve(d);
  const source = await DiffSource.open({ before: "a", after: "b", view: "split", form: "compact", context: 3 }, new AbortController().signal);
  assert.equal(source.split, true);
  await Promise.all([source.load(0, source.total), source.load(0, source.total)]);
  const before = asked;
  assert.equal(await source.load(0, Math.min(windowSize, source.total)), false);
  assert.equal(asked, before);
});

test("the lines of an event stand in for texts that are gone", () => {
  const change = { name: "f", lines_before: 3, lines_after: 3, hunks: [{ before: 5, after: 7, lines: [" a", "-b", "+c", " d"], marks: " ~~ " }] } as unknown as FunctionChange;
  const source = DiffSource.fromHunks(change)!;
  assert.deepEqual([0, 1, 2, 3].map((i) => source.get(i)), [
    { kind: "same", before: 5, after: 7, text: [["", "a"]] },
    { kind: "del", before: 6, text: [["", "b"]], mark: "renamed" },
    { kind: "add", after: 8, text: [["", "c"]], mark: "renamed" },
    { kind: "same", before: 7, after: 9, text: [["", "d"]] },
  ]);
  assert.deepEqual(source.hunks(), [{ row: 0, rows: 4 }]);
  const { hunks: _, ...without } = change;
  assert.equal(DiffSource.fromHunks(without as FunctionChange), null);
});
