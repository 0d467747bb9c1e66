// The results of a search as elements.

import { h } from "../widgets/dom";
import { plural } from "../store/format";

export interface Result {
  step: string;
  pass: string;
  function: string;
  kind: string;
  side: "before" | "after";
  text: string;
  line: number;
  excerpt: string;
  // from is the column at which the excerpt begins; matches are columns of the line. Columns count bytes from 1.
  from: number;
  matches: [number, number][];
  link: string;
}

export interface Answer {
  results: Result[];
  notes: string[];
  more: boolean;
  next?: string;
  sealed: boolean;
}

// list makes a group for each pass.
export function list(found: Result[], path: string): HTMLElement[] {
  const out: HTMLElement[] = [];
  for (let i = 0; i < found.length; ) {
    const { step, pass } = found[i]!;
    let end = i;
    while (end < found.length && found[end]!.step === step) end++;
    const id = `found-in-${i}`;
    const number = /^[\d.r]+\//.exec(step)?.[0].slice(0, -1) ?? "";
    const head = h(
      "div", { class: "search-pass", id, role: "presentation" },
      number ? h("span", { class: "search-number num" }, number) : null, h("span", { class: "name" }, title(step, pass)), h("span", { class: "search-lines" }, plural(end - i, "line")),
    );
    out.push(h("div", { role: "group", "aria-labelledby": id }, head, ...found.slice(i, end).map((r, k) => row(r, i + k, path))));
    i = end;
  }
  return out;
}

function title(step: string, pass: string): string {
  return step === "import" ? "Imported module" : step === "code" ? "Generated code" : pass;
}

function row(r: Result, i: number, path: string): HTMLElement {
  const side = r.side === "before" ? "−" : "";
  return h(
    "a", { class: "found", id: `found-${i}`, role: "option", tabindex: -1, "aria-selected": "false", "data-found": i, href: path + r.link },
    h("span", { class: "found-fn mono", title: r.function }, r.function),
    h("span", { class: "found-line num", title: r.side === "before" ? "line of the text before the pass" : "line of the text after the pass" }, `${side}${r.line}`),
    h("span", { class: "vh" }, r.side === "before" ? " before the pass: " : ": "),
    excerpt(r),
  );
}

// excerpt marks what was found. Its columns count bytes, so the text is cut as bytes.
function excerpt(r: Result): HTMLElement {
  const bytes = new TextEncoder().encode(r.excerpt);
  const text = (from: number, to?: number): string => new TextDecoder().decode(bytes.subarray(from, to));
  const el = h("span", { class: "found-text mono" }, r.from > 1 ? "…" : null);
  let at = 0;
  for (const [from, to] of r.matches) {
    const a = Math.max(at, from - r.from);
    const b = Math.min(bytes.length, to - r.from);
    if (b <= a) continue;
    el.append(at === 0 ? text(0, a).trimStart() : text(at, a), h("mark", {}, text(a, b)));
    at = b;
  }
  el.append(at === 0 ? text(0).trimStart() : text(at));
  return el;
}
