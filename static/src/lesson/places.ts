// Links of a lesson to places in its session: a pass by its name, a function, a line, a view.

import { importPath } from "../store/model";
import type { Session } from "../store/session";
import { tell } from "../widgets/dom";

// follow shows the place that the query of a link names, in the run that is shown.
export function follow(store: Session, query: string): void {
  const q = new URLSearchParams(query);
  const name = q.get("pass") ?? "";
  const step = name === importPath ? null : store.model.all().find((s) => s.name === name || s.path === name);
  if (step === undefined) return tell(`This run has no pass ${name}`);
  const pass = step?.path ?? importPath;
  const fn = q.get("function") ?? "";
  const line = Math.max(0, Number(q.get("line")) || 0);
  const view = q.get("view");
  if (view) return store.visit({ pass, fn, line, view: store.viewOf(view) });
  store.reveal(pass, fn, line, step?.finished?.functions.some((f) => f.name === fn) ?? false);
}
