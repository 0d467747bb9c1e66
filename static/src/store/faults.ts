// Searches for the pass at fault, and what-ifs: the answers of the server, line by line, and their words.

import { RequestError } from "./api";
import { linesOf } from "./check";
import type { Finding, WhatIfRow } from "../wire";

// linesFrom requests lines of JSON and tells of each as it comes.
async function linesFrom<T>(path: string, init: RequestInit, told: (line: T) => void): Promise<void> {
  const res = await fetch(path, init);
  if (!res.ok || !res.body) {
    const body = (await res.json().catch(() => null)) as { error?: { message?: string } } | null;
    throw new RequestError(body?.error?.message ?? `the server responded with ${res.status}`, res.status, 0, []);
  }
  for await (const line of linesOf(res.body.pipeThrough(new TextDecoderStream()).getReader())) told(JSON.parse(line) as T);
}

// Sought says which fault is looked for: a predicate, or a script in Starlark.
export interface Sought {
  predicate: string;
  script: string;
}

// bisectRun asks the server for the pass at fault in a run and tells what it is doing. The answer is what it found, or why there is nothing.
export async function bisectRun(run: string, sought: Sought, told: (doing: string) => void, signal: AbortSignal): Promise<Finding | string> {
  let out: Finding | string = "the connection ended before the search did";
  await linesFrom<{ doing?: string; finding?: Finding; none?: string; error?: string }>(`/api/runs/${run}/bisect`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sought), signal,
  }, (x) => {
    if (x.doing) told(x.doing);
    if (x.error) throw new Error(x.error);
    out = x.finding ?? x.none ?? out;
  });
  return out;
}

// whatIf asks the server for the variants of a run and tells of each row, and how many there will be. The answer says why there are no more, "" if there are all.
export async function whatIf(run: string, told: (row: WhatIfRow, total: number) => void, signal: AbortSignal): Promise<string> {
  let stopped = "";
  await linesFrom<{ row?: WhatIfRow; total?: number; stopped?: string }>(`/api/runs/${run}/whatif`, { signal }, (x) => {
    if (x.row) told(x.row, x.total ?? 0);
    if (x.stopped) stopped = x.stopped;
  });
  return stopped;
}

// The numbers of a row, in the order of their columns.
export const columns = ["ops", "kernels", "memory", "code", "compile", "latency", "error"] as const;
export type Column = (typeof columns)[number];

// numberOf returns a number of a row, null where it has none. What JSON has no number for comes as a text, such as "NaN".
export function numberOf(row: WhatIfRow, column: Column): number | null {
  const x = row[column];
  return x === undefined ? null : Number(x);
}

// sorted returns rows by a column, the smallest number first or last, and rows without one last; null is the order in which they came.
export function sorted(rows: readonly WhatIfRow[], by: { column: Column; down: boolean } | null): WhatIfRow[] {
  if (!by) return [...rows];
  const sign = by.down ? -1 : 1;
  return rows.toSorted((a, b) => {
    const x = numberOf(a, by.column), y = numberOf(b, by.column);
    const missing = Number(x === null || Number.isNaN(x)) - Number(y === null || Number.isNaN(y));
    return missing || (x === null || y === null ? 0 : sign * (x - y) || 0);
  });
}

// knownBy says how the rewrites of a finding are known.
export const knownBy: Record<Finding["how"], string> = {
  only: "the only one that the pass reports in the function",
  applied: "applied without the others, the fault shows",
  last: "the last that the pass reported before it failed",
  any: "the pass reports these; which of them is at fault is not known",
  none: "the pass reports none",
};
