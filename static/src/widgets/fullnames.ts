// The full name of what is shown shorter, as the title of a cell while the pointer is over the name. A type that has no room beside its
// line is the title of the line.

import "../shared";
import { cellsOf, partAt } from "../store/cells";
import type { Source } from "../store/source";

// fullNames names what the pointer comes over, from its first move on.
export function fullNames(scroller: HTMLElement, source: () => Source | null, first: PointerEvent): void {
  let over: HTMLElement | null = null;
  const moved = (e: PointerEvent): void => {
    const tx = e.target instanceof Element ? e.target.closest<HTMLElement>(".tx") : null;
    if (over && over !== tx) over.removeAttribute("title");
    over = tx;
    if (!tx) return;
    const title = e.buttons === 0 ? titleAt(tx, source(), e.clientX, e.clientY) : "";
    if (title !== tx.title) tx.title = title;
  };
  scroller.addEventListener("pointermove", moved, { passive: true });
  moved(first);
}

function titleAt(tx: HTMLElement, source: Source | null, x: number, y: number): string {
  const el = tx.closest<HTMLElement>(".code-row");
  const row = el && source?.get(Number(el.getAttribute("aria-rowindex")) - 1);
  if (!row || !source) return "";
  const compact = cellsOf(row, source.split)[[...el.querySelectorAll(".tx")].indexOf(tx)]?.compact;
  const at = compact ? offset(tx, x, y) : -1;
  if (!compact || at < 0) return "";
  const part = partAt(compact, at);
  const full = compact.exact.slice(part.from, part.to);
  const shown = (tx.textContent ?? "").slice(part.at, part.end);
  if (shown.trim() !== "" && shown !== full && part.end - part.at !== part.to - part.from) return full;
  return tx.classList.contains("untyped") ? (compact.type ?? []).map((s) => s[1]).join("") : "";
}

// offset is the column of a cell under a point; -1 for none.
function offset(tx: HTMLElement, x: number, y: number): number {
  const place = document.caretPositionFromPoint?.(x, y);
  if (place) return tx.contains(place.offsetNode) ? place.offset : -1;
  const range = document.caretRangeFromPoint?.(x, y);
  return range && tx.contains(range.startContainer) ? range.startOffset : -1;
}
