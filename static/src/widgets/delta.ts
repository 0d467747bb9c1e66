// Counts of changed lines, with those apart that are only renamed or moved.

import { h } from "./dom";
import { plural } from "../store/format";
import { keep, setting } from "../store/state";
import type { LineCounts } from "../wire";

// apart tells whether lines that are only renamed or moved are shown as such.
export function apart(): boolean {
  return setting("structural") !== "off";
}

export function setApart(on: boolean): void {
  keep("structural", on ? "on" : "off");
}

interface Counts {
  added: number;
  removed: number;
  renamed: number;
  moved: number;
}

export function counts(c: LineCounts): Counts {
  const { renamed, moved } = apart() ? { renamed: c.renamed ?? 0, moved: c.moved ?? 0 } : { renamed: 0, moved: 0 };
  return { added: c.added - renamed - moved, removed: c.removed - renamed - moved, renamed, moved };
}

// signature changes with what delta shows.
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

// delta shows "+12 −7 ~30 ↕2".
export function delta(c: LineCounts): HTMLElement {
  const { added, removed, renamed, moved } = counts(c);
  const words = [
    added + removed > 0 ? `${plural(added, "line")} added, ${removed} removed` : "",
    renamed > 0 ? `${plural(renamed, "line")} renamed` : "", moved > 0 ? `${plural(moved, "line")} moved` : "",
  ].filter((x) => x !== "").join(", ");
  const all = only(c);
  return h(
    "span", { class: "delta", title: `${words}${all ? `: ${all}` : ""}` },
    ...(added + removed > 0 || renamed + moved === 0 ? [h("span", { class: "plus" }, `+${added}`), " ", h("span", { class: "minus" }, `−${removed}`)] : []),
    renamed > 0 ? h("span", { class: "renamed" }, ` ~${renamed}`) : null,
    moved > 0 ? h("span", { class: "moved" }, ` ↕${moved}`) : null,
    all ? h("span", { class: "vh" }, ` ${all} `) : null,
  );
}
