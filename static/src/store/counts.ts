// Counts of changed lines, with those apart that are only renamed or moved.

import { keep, setting } from "./prefs";
import type { LineCounts } from "../wire";

// apart tells whether lines that are only renamed or moved are shown as such.
export function apart(): boolean {
  return setting("structural") !== "off";
}

export function setApart(on: boolean): void {
  keep("structural", on ? "on" : "off");
}

export interface Counts {
  added: number;
  removed: number;
  renamed: number;
  moved: number;
}

export function counts(c: LineCounts): Counts {
  const { renamed, moved } = apart() ? { renamed: c.renamed ?? 0, moved: c.moved ?? 0 } : { renamed: 0, moved: 0 };
  return { added: c.added - renamed - moved, removed: c.removed - renamed - moved, renamed, moved };
}

// signature changes with what a delta shows.
export function signature(c: LineCounts | null | undefined): string {
  return c ? Object.values(counts(c)).join(" ") : "";
}

// only says what a difference is where it is nothing but names or places; otherwise it is empty.
export function only(c: LineCounts): string {
  const { added, removed, renamed, moved } = counts(c);
  if (added + removed > 0 || renamed + moved === 0) return "";
  if (moved === 0) return "only renames";
  return renamed === 0 ? "only moved lines" : "only renames and moved lines";
}
