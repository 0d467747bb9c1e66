// The sign of a change: five blocks, and in words how many lines it adds, removes, renames and moves.

import { counts, only } from "../store/counts";
import { blocks } from "../store/phases";
import type { LineCounts } from "../wire";
import { h } from "./dom";

// delta shows five blocks; what is heard and what the pointer finds is "+12 −7 ~30 ↕2".
export function delta(c: LineCounts): HTMLElement {
  const n = counts(c);
  const { added, removed, other } = blocks(n);
  const words = deltaWords(c);
  const all = only(c);
  const el = h("span", { class: "delta", title: `${words}${all ? `: ${all}` : ""}` }, h("span", { class: "vh" }, words, all ? ` ${all} ` : ""));
  for (const [name, count] of [["--a", added], ["--d", removed], ["--m", other]] as const) el.style.setProperty(name, String(count));
  return el;
}

// deltaWords writes "+12 −7 ~30 ↕2".
export function deltaWords(c: LineCounts): string {
  const { added, removed, renamed, moved } = counts(c);
  return [added + removed > 0 || renamed + moved === 0 ? `+${added} −${removed}` : "", renamed > 0 ? `~${renamed}` : "", moved > 0 ? `↕${moved}` : ""].filter(Boolean).join(" ");
}
