// A line of one of the two texts of a step, in both.

import { api } from "../store/api";
import type { Side } from "../store/source";
import { across } from "../store/rewrites";
import type { FunctionChange } from "../wire";

// windowSize is how many rows are asked for at once.
const windowSize = 400;

// inBoth finds a line of a function after a step, or before it, in the other text; without a change there is one text. A line that only one
// text has stays alone.
export async function inBoth(change: FunctionChange | undefined, line: number, side: Side): Promise<{ before?: number; after?: number }> {
  if (!change?.before || !change.after) return { [side]: line };
  const query = { before: change.before, after: change.after, view: "unified", form: "exact", context: 0 } as const;
  const diff = await api.diff(query, 0, 0);
  if (diff.more_hunks && line > (diff.hunks.at(-1)?.[side] ?? 0)) return { [side]: line };
  const { line: other, hunk } = across(diff.hunks, diff.lines_before - diff.lines_after, line, side);
  for (let row = hunk?.row ?? 0; row < (hunk ? hunk.row + hunk.rows : 0); row += windowSize) {
    const { rows } = await api.diff(query, row, Math.min(windowSize, hunk!.row + hunk!.rows - row));
    const at = rows.find((r) => r[side] === line && r.kind !== (side === "before" ? "add" : "del"));
    if (at?.kind === "same") return { before: at.before!, after: at.after! };
    if (at) return { [side]: line };
  }
  return side === "before" ? { before: line, after: other } : { before: other, after: line };
}
