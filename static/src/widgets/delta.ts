// The sign of a change: how many lines it adds, removes, renames and moves.

import { counts, only } from "../store/counts";
import { plural } from "../store/format";
import type { LineCounts } from "../wire";
import { h } from "./dom";

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
