// What threads did that ended a run, and where it stands.

import type { RunModel } from "./model";
import type { State } from "./state";

// Place is a line that a reader can go to.
export interface Place {
  text: string;
  to: Partial<State>;
}

// Access is what a thread did, with its line after the last pass and its place in the source; null where one is not known.
export interface Access {
  what: string;
  line: Place | null;
  source: Place | null;
}

// accessesOf lists what threads did that ended a run; nothing where that was something else.
export function accessesOf(model: RunModel): Access[] {
  const last = model.all().findLast((x) => x.finished);
  return (model.finished?.error?.accesses ?? []).map(({ thread, does, function: fn, line, code, span }) => ({
    what: `thread (${thread}) ${does || "does not come to it"}`,
    line: last && line ? { text: `${fn}, line ${line}: ${code ?? ""}`, to: { pass: last.path, view: "ir", fn, line } } : null,
    source: span?.line ? { text: `${span.source}:${span.line}:${span.column ?? 1}`, to: { view: "source", fn: "", line: span.line } } : null,
  }));
}
