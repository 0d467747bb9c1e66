// A note in words: its place, and its text.

import { h } from "../widgets/dom";
import { importPath } from "../store/model";
import type { Place } from "../store/session";
import type { Note } from "../wire";

// marked shows the Markdown of a note. The server made HTML of it that holds no markup of the note's own (web/markdown).
export function marked(n: Note): HTMLElement {
  const made = new DOMParser().parseFromString(n.html, "text/html");
  return h("div", { class: "note-text md" }, ...made.body.childNodes);
}

// where names the place of a note: "FuseTIR › main, line 12".
export function where(n: Partial<Place>): string {
  const step = n.step === importPath ? "Imported module" : (n.step ?? "").slice((n.step ?? "").indexOf("/") + 1);
  const place = [step, n.function].filter(Boolean).join(" › ") || "the session";
  return n.line ? `${place}, line ${n.line}` : place;
}
