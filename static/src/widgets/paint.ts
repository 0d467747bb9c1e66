// Colours text without adding elements, through the CSS Custom Highlight API: a line of code stays one text node, so a screen of
// highlighted code is a few hundred elements instead of thousands. A browser without the API shows the text plain.

import type { Span } from "../wire";

type Ranges = [string, StaticRange][];

// groups maps the classes of the server's highlighter to the colours of code.css: the longest prefix counts.
const groups: [string, string][] = [
  ["c-kt", "type"],
  ["c-k", "keyword"],
  ["c-ow", "keyword"],
  ["c-nf", "function"],
  ["c-nd", "attr"],
  ["c-nb", "function"],
  ["c-nc", "type"],
  ["c-nn", "type"],
  ["c-no", "attr"],
  ["c-na", "attr"],
  ["c-nt", "type"],
  ["c-m", "number"],
  ["c-l", "number"],
  ["c-s", "string"],
  ["c-c", "comment"],
  ["c-dim", "dim"],
];

const cache = new Map<string, string>();

function group(cls: string): string {
  let g = cache.get(cls);
  if (g === undefined) {
    g = groups.find(([prefix]) => cls.startsWith(prefix))?.[1] ?? "";
    cache.set(cls, g);
  }
  return g;
}

const supported = typeof CSS !== "undefined" && "highlights" in CSS && typeof Highlight !== "undefined";

function registry(name: string): Highlight {
  let hl = CSS.highlights.get(name);
  if (!hl) {
    hl = new Highlight();
    CSS.highlights.set(name, hl);
  }
  return hl;
}

// Painter colours the cells of one view and forgets them with their row.
export class Painter {
  private readonly byRow = new Map<number, Ranges>();

  // text fills a cell; word is the highlight for words that differ, or empty.
  text(row: number, cell: HTMLElement, spans: Span[], word: string): number {
    let text = "";
    for (const span of spans) text += span[1];
    cell.textContent = text;
    const node = cell.firstChild;
    if (!supported || !node) return text.length;
    let ranges = this.byRow.get(row);
    if (!ranges) {
      ranges = [];
      this.byRow.set(row, ranges);
    }
    let at = 0;
    for (const [cls, part, differs] of spans) {
      const end = at + part.length;
      const name = group(cls);
      // What is dim would be too dim on a mark.
      if (name) this.add(ranges, `tok-${name}${name === "dim" && differs && word ? "-marked" : ""}`, node, at, end);
      if (differs && word) this.add(ranges, word, node, at, end);
      at = end;
    }
    return text.length;
  }

  // mark adds a highlight to a cell that was filled.
  mark(row: number, cell: Element, name: string, start: number, end: number): void {
    const ranges = this.byRow.get(row) ?? [];
    this.byRow.set(row, ranges);
    if (supported && cell.firstChild) this.add(ranges, name, cell.firstChild, start, end);
  }

  forget(row: number): void {
    for (const [name, range] of this.byRow.get(row) ?? []) registry(name).delete(range);
    this.byRow.delete(row);
  }

  private add(ranges: Ranges, name: string, node: Node, start: number, end: number): void {
    if (start === end) return;
    const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
    registry(name).add(range);
    ranges.push([name, range]);
  }
}
