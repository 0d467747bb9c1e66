// The parts of a row of code: numbers of lines, signs, folds.

import type { Row } from "../store/source";
import type { Fold } from "../wire";
import { h } from "./dom";

export type TextRow = Exclude<Row, { kind: "head" }>;

// sign stands for a line that is renamed, moved or indented only; that of a moved line leads to its other place.
export function sign(row: TextRow): HTMLElement {
  const said = (title: string, shown: string, name: string): HTMLElement => h("span", { title }, h("span", { "aria-hidden": "true" }, shown), h("span", { class: "vh" }, ` ${name}`));
  if (row.mark === "renamed") return said("only renamed", "~", "renamed");
  if (row.mark === "indented") return said("only its indentation differs", "⇥", "indented");
  if (!row.other) return said("only moved", "↕", "moved");
  const side = row.kind === "del" ? "after" : "before";
  const title = side === "after" ? `moved to line ${row.other}` : `moved from line ${row.other}`;
  return h("button", { type: "button", class: "other", tabindex: -1, title, "aria-label": title, "data-other": row.other, "data-side": side }, "↕");
}

// number is the cell of a line number with the sign behind it.
export function number(n: number | undefined, mark: string | HTMLElement, link = false, side = "", note = ""): HTMLElement {
  const noted = note ? h("span", { class: "noted-mark", "aria-hidden": "true" }, "◆") : " ";
  return h(
    "span",
    { class: `ln ${side}${note ? " noted" : ""}`, role: "cell", "data-line": link && n ? n : null, title: note || null },
    `${n ?? ""}`, noted, mark || " ", note ? h("span", { class: "vh" }, " has a note") : null,
  );
}

// fold says what is hidden at a row, and shows it on a click.
export function fold(row: number, f: Fold): HTMLElement {
  const what = `${f.indented ? "indented" : "unchanged"} ${f.bindings ? "binding" : "line"}${f.lines === 1 ? "" : "s"}`;
  const names = f.first ? h("span", { class: "fold-names" }, f.first === f.last ? f.first : `${f.first} … ${f.last}`) : null;
  return h("span", { class: "fold-cell", role: "cell" }, h("button", { type: "button", class: "fold", "data-fold": row }, "⋯ ", `${f.lines.toLocaleString("en")} ${what}`, names));
}
