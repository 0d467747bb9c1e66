import { test } from "node:test";
import assert from "node:assert/strict";
import { bisectRun, numberOf, sorted, whatIf } from "./faults";
import type { WhatIfRow } from "../wire";

const row = (name: string, latency?: number, error?: number | "NaN"): WhatIfRow => ({ kind: "without", name, settings: {} as never, key: name, ...(latency === undefined ? {} : { latency }), ...(error === undefined ? {} : { error }) });

function answer(lines: unknown[], status = 200): void {
  globalThis.fetch = async () => new Response(lines.map((l) => `${JSON.stringify(l)}\n`).join(""), { status });
}

test("rows are sorted both ways, those without a number last", () => {
  const rows = [row("a", 3), row("b"), row("c", 1, 0), row("d", 2, "NaN")];
  const names = (by: Parameters<typeof sorted>[1]): string => sorted(rows, by).map((r) => r.name).join("");
  assert.equal(names(null), "abcd");
  assert.equal(names({ column: "latency", down: false }), "cdab");
  assert.equal(names({ column: "latency", down: true }), "adcb");
  assert.equal(names({ column: "error", down: false }), "cabd");
  assert.ok(Number.isNaN(numberOf(rows[3]!, "error")));
});

test("a bisection tells what it does, and what it found", async () => {
  const told: string[] = [];
  answer([{ doing: "the passes" }, { finding: { pass: "A" } }]);
  assert.deepEqual(await bisectRun("r", { predicate: "wrong", script: "" }, (x) => told.push(x), new AbortController().signal), { pass: "A" });
  assert.deepEqual(told, ["the passes"]);
  answer([{ none: "no pass fails" }]);
  assert.equal(await bisectRun("r", { predicate: "crash", script: "" }, () => {}, new AbortController().signal), "no pass fails");
  answer([{ error: "unknown predicate" }]);
  await assert.rejects(bisectRun("r", { predicate: "x", script: "" }, () => {}, new AbortController().signal), /unknown predicate/);
  answer([{ error: { message: "too many" } }], 429);
  await assert.rejects(bisectRun("r", { predicate: "x", script: "" }, () => {}, new AbortController().signal), /too many/);
});

test("a what-if tells of rows, and why there are no more", async () => {
  const told: string[] = [];
  answer([{ row: row("a", 1), total: 3 }, { row: row("b", 2), total: 3 }, { stopped: "time is up" }]);
  assert.equal(await whatIf("r", (r, n) => told.push(`${r.name}/${n}`), new AbortController().signal), "time is up");
  assert.deepEqual(told, ["a/3", "b/3"]);
});
