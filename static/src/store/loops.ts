// The loops of a PrimFunc, in two states of it.

import type { LoopRow, LoopTree } from "../wire";

function key(r: LoopRow): string {
  return [r.kind, r.name, r.extent ?? "", r.loop ?? "", r.thread ?? "", r.info ?? ""].join("\n");
}

// isNewRow returns what tells whether a row was not there before: each row of the tree before stands for one row after it. Without a tree before
// nothing is new. Rows are asked about once, in their order.
export function isNewRow(was: LoopTree | null): (r: LoopRow) => boolean {
  if (!was) return () => false;
  const left = new Map<string, number>();
  for (const r of was.rows) left.set(key(r), (left.get(key(r)) ?? 0) + 1);
  return (r) => {
    const n = left.get(key(r)) ?? 0;
    left.set(key(r), n - 1);
    return n <= 0;
  };
}
