// What threads did that ended a run, each with ways to its lines. It is loaded when a run ended so.

import "../shared";
import { accessesOf, type Place } from "../store/accesses";
import type { RunModel } from "../store/model";
import type { State } from "../store/state";
import { h } from "./dom";

// addAccesses adds to the note of a run's error what threads did, if that is the error; open shows a line of a text.
export function addAccesses(note: HTMLElement, model: RunModel, open: (to: Partial<State>) => void): void {
  const list = accessesOf(model);
  if (list.length === 0) return;
  const link = ({ text, to }: Place): HTMLElement => {
    const b = h("button", { type: "button", class: "link mono" }, text);
    b.addEventListener("click", () => open(to));
    return b;
  };
  note.append(h("ul", { class: "note-accesses" }, ...list.map(({ what, line, source }) =>
    h("li", {}, what, ...(line ? [": ", link(line)] : []), ...(source ? [line ? " in the source " : ": ", link(source)] : [])))));
}
