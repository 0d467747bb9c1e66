// The loops and blocks of a PrimFunc as rows of a table, with extents, kinds, and the bytes that each touches. It is loaded when the first is shown.

import { big, bytes } from "../store/format";
import { isNewRow } from "../store/loops";
import type { LoopRow, LoopTree, Touch } from "../wire";
import { h } from "./dom";

// kinds are what loops are called, in the words of readers.
const kinds: Record<string, string> = { serial: "serial", parallel: "parallel", vectorized: "vectorized", unroll: "unrolled", thread_binding: "thread" };

// loopTable draws a tree; rows that was lacks are marked as new. line is told the line of a row that is chosen, where a text is at hand.
export function loopTable(tree: LoopTree, was: LoopTree | null, line: ((n: number) => void) | null): HTMLElement {
  const isNew = isNewRow(was);
  const body = tree.rows.map((r) => row(r, isNew(r), line));
  return h("table", { class: "loops" },
    h("caption", { class: "vh" }, `Loops and blocks of ${tree.name}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Loop or block"), h("th", { scope: "col", class: "num" }, "Extent"), h("th", { scope: "col" }, "Kind"), h("th", { scope: "col", class: "num", title: "How often the row is come to in one call" }, "Times"),
      h("th", { scope: "col", title: "What the row reads and writes each time, with all that is in it" }, "Touches each time"))),
    h("tbody", {}, ...body, tree.omitted ? h("tr", {}, h("td", { colspan: 5, class: "quiet" }, `and ${tree.omitted.toLocaleString("en")} more`)) : null));
}

function row(r: LoopRow, isNew: boolean, line: ((n: number) => void) | null): HTMLElement {
  const kind = r.kind === "loop" ? (kinds[r.loop ?? ""] ?? r.loop ?? "") : r.kind;
  const words = r.thread ? `${kind} ${r.thread}` : kind;
  const name = line && r.line ? h("button", { type: "button", class: "link mono", "data-line": r.line, title: `Line ${r.line}` }, label(r)) : h("span", { class: "mono" }, label(r));
  if (line && r.line) name.addEventListener("click", () => line(r.line!));
  const out = h("tr", { class: `loop-row is-${r.kind}${r.loop && r.loop !== "serial" ? ` of-${r.loop}` : ""}${isNew ? " is-new" : ""}` },
    h("th", { scope: "row" }, h("span", { class: "loop-name" }, isNew ? h("span", { class: "loop-new", title: "New in this step" }, "+", h("span", { class: "vh" }, " new ")) : null, name, r.info ? h("span", { class: "quiet mono loop-info" }, `${r.info}`) : null)),
    h("td", { class: "num mono" }, r.extent ?? ""),
    h("td", {}, h("span", { class: "loop-kind" }, words)),
    h("td", { class: "num" }, r.kind === "function" ? "" : r.runs < 0 ? "varies" : big(r.runs)),
    h("td", {}, ...(r.touches ?? []).map(touch)));
  out.style.setProperty("--depth", String(r.depth));
  return out;
}

function label(r: LoopRow): string {
  if (r.kind !== "block" || !r.iters?.length) return r.name;
  return `${r.name}(${r.iters.map((x) => `${x.kind === "reduce" ? "Σ " : ""}${x.name}`).join(", ")})`;
}

function touch(t: Touch): HTMLElement {
  const how = t.read && t.written ? "read and written" : t.written ? "written" : "read";
  const size = t.bytes < 0 ? "varies" : bytes(t.bytes);
  return h("span", { class: `touch${t.written ? " is-written" : ""}`, title: `${t.buffer}${t.scope ? ` in ${t.scope}` : ""}: ${size} ${how}${t.whole ? ", all of it" : ""}` },
    h("span", { class: "mono" }, t.buffer), " ", h("span", { class: "num" }, size), h("span", { class: "vh" }, ` ${how}`));
}
