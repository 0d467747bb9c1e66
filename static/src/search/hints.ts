// What can be asked, as buttons that fill the field with a question about this run; and where a query is wrong.

import { h } from "../widgets/dom";
import type { RunModel } from "../store/model";
import { shortOp } from "../store/format";

// hints shows one example for each kind of question.
export function hints(model: RunModel, ask: (query: string) => void): HTMLElement {
  const op = frequent(model);
  const word = op.slice(op.lastIndexOf(".") + 1);
  const all: [string, string][] = [
    [`gone:R.${op}`, `the first pass after which the operator ${op} is gone`],
    [`born:${born(model)}`, "the first pass after which a name appears"],
    ["touches:lv1", "passes that change lines with lv1"],
    [word, "text in any IR of the run and in the generated code"],
    [`op:${word} pass:Fuse*`, "an operator or kernel, in passes with a given name"],
    ["/lv\\d+ = /", "lines that match a regular expression"],
    ["fn:main", "each step that changed a function"],
  ];
  const rows = all.map(([query, doc]) => {
    const b = h("button", { type: "button", class: "search-hint", "data-query": query }, h("code", {}, query), h("span", {}, doc));
    b.addEventListener("click", () => ask(query));
    return h("li", {}, b);
  });
  return h("div", { class: "search-hints" }, h("p", { class: "quiet" }, "All terms must match the same line; put text with spaces in quotes."), h("ul", {}, ...rows));
}

// frequent is the operator that the imported module has most of.
function frequent(model: RunModel): string {
  const ops = Object.entries(model.started?.metrics?.ops ?? {}).sort((a, b) => b[1] - a[1]);
  return shortOp(ops[0]?.[0] ?? "relax.matmul");
}

// born is a kernel that a pass made.
function born(model: RunModel): string {
  for (const step of model.all()) {
    const added = step.finished?.functions.find((f) => f.change === "added" && f.name.startsWith("fused"));
    if (added && step.kind !== "sequential") return added.name;
  }
  return "fused_add";
}

// wrongPlace shows a query with its error marked. The column counts bytes from 1.
export function wrongPlace(query: string, column: number): HTMLElement {
  const bytes = new TextEncoder().encode(query);
  const text = (from: number, to?: number): string => new TextDecoder().decode(bytes.subarray(from, to));
  const rest = [...text(column - 1)];
  return h("p", { class: "search-wrong mono", id: "search-wrong" }, text(0, column - 1), h("mark", {}, rest[0] ?? "␣"), rest.slice(1).join(""));
}
