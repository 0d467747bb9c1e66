// Copying code. What is copied is the printed text, in whatever form it is shown, of all rows that a selection reaches, also of those
// that have no elements because they are out of view. Of two texts side by side it is the one in which the selection began.

import "../shared";
import { type End, textBetween } from "../store/copied";
import type { Source } from "../store/source";
import { announce, tell } from "./dom";
import type { Windowed } from "./windowed";

// farthest is the number of rows that a selection may reach to be fetched ahead of its copy.
const farthest = 20_000;

export class Copying {
  constructor(private readonly list: Windowed, private readonly source: () => Source | null) {
    document.addEventListener("selectionchange", () => this.changed());
    list.scroller.addEventListener("copy", (e) => this.copy(e));
    this.changed(); // what made the page load this may be a selection
  }

  // changed keeps the rows at the ends of the selection, and fetches what is between them.
  private changed(): void {
    const range = this.range();
    this.list.pin(range ? [range.from.row, range.to.row] : []);
    const source = this.source();
    if (range && source && range.to.row - range.from.row < farthest) void source.load(range.from.row, range.to.row + 1).catch(() => undefined);
  }

  private copy(e: ClipboardEvent): void {
    const range = this.range();
    const source = this.source();
    if (!range || !source || getSelection()?.isCollapsed) return;
    const text = textBetween(source, range.from, range.to);
    e.preventDefault();
    if (text !== null) return void e.clipboardData?.setData("text/plain", text);
    void this.later(source, range.from, range.to);
  }

  // later copies a selection whose rows must be fetched first. Only some browsers, and only safe addresses, allow that.
  private async later(source: Source, from: End, to: End): Promise<void> {
    announce("Fetching the lines to copy…");
    try {
      await source.load(from.row, to.row + 1);
      await navigator.clipboard.writeText(textBetween(source, from, to) ?? "");
      announce("Copied");
    } catch {
      tell("The lines are here now; copy again");
    }
  }

  // range returns the ends of the selection within the rows, in order.
  private range(): { from: End; to: End } | null {
    const selection = getSelection();
    if (!selection?.rangeCount || !selection.containsNode(this.list.rows, true)) return null;
    const r = selection.getRangeAt(0);
    const from = this.end(r.startContainer, r.startOffset) ?? (this.before(r) ? { row: 0, cell: 0, at: 0 } : null);
    const to = this.end(r.endContainer, r.endOffset) ?? (this.behind(r) ? { row: this.list.count - 1, cell: 0, at: Infinity } : null);
    return from && to && from.row <= to.row ? { from, to } : null;
  }

  // A selection that begins before all rows begins with the first, and one that ends behind them ends with the last.
  private before(r: Range): boolean {
    return r.comparePoint(this.list.rows, 0) >= 0;
  }

  private behind(r: Range): boolean {
    return r.comparePoint(this.list.rows, this.list.rows.childNodes.length) <= 0;
  }

  private end(node: Node, offset: number): End | null {
    const within = node === this.list.rows ? (node.childNodes[Math.min(offset, node.childNodes.length - 1)] ?? null) : node;
    const el = within instanceof Element ? within : within?.parentElement;
    const rowEl = el?.closest<HTMLElement>(".code-row");
    if (!rowEl || !this.list.rows.contains(rowEl)) return null;
    const row = Number(rowEl.getAttribute("aria-rowindex")) - 1;
    const cells = [...rowEl.querySelectorAll(".tx")];
    const tx = el!.closest(".tx");
    if (tx) return { row, cell: cells.indexOf(tx), at: node.nodeType === Node.TEXT_NODE ? offset : offset === 0 ? 0 : Infinity };
    // Beside the text: before it, or behind the last cell.
    const at = cells.findIndex((c) => Boolean(node.compareDocumentPosition(c) & Node.DOCUMENT_POSITION_FOLLOWING));
    return at < 0 ? { row, cell: cells.length - 1, at: Infinity } : { row, cell: at, at: 0 };
  }
}
