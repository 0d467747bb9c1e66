// What threads did that ended a run, each with ways to its lines. It is loaded when a run ended so.

import "../shared";
import type { RunModel } from "../store/model";
import type { State } from "../store/state";
import { h } from "./dom";

// addAccesses adds to the note of a run's error what threads did, if that is the error; open shows a line of a text.
export function addAccesses(note: HTMLElement, model: RunModel, open: (to: Partial<State>) => void): void {
  const list = model.finished?.error?.accesses;
  if (!list) return;
  const last = model.all().filter((x) => x.finished).pop();
  const link = (text: string, to: Partial<State>): HTMLElement => {
    const b = h("button", { type: "button", class: "link mono" }, text);
    b.addEventListener("click", () => open(to));
    return b;
  };
  note.append(h("ul", { class: "note-accesses" }, ...list.map((a) => {
    const { span } = a;
    const source = span?.line ? link(`${span.source}:${span.line}:${span.column ?? 1}`, { view: "source", fn: "", line: span.line }) : null;
    const line = last && a.line ? link(`${a.function}, line ${a.line}: ${a.code ?? ""}`, { pass: last.path, view: "ir", fn: a.function, line: a.line }) : null;
    return h("li", {}, `thread (${a.thread}) ${a.does || "does not come to it"}`, ...(line ? [": ", line] : []), ...(source ? [line ? ", in the source " : ": ", source] : []));
  })));
}
