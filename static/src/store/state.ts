// The state that a link carries: which run, pass, function, view and line.

import type { Form } from "../wire";

export interface State {
  run: string;
  pass: string;
  fn: string;
  // view names a view of the registry in views/.
  view: string;
  line: number;
  // history is the question about what became of something, as in an address of the API; empty for none.
  history: string;
  // search is the query of the search over the history; empty where it is closed.
  search: string;
  // rewrite is the rewrite of the pass that is selected, "3", or the decision, "d3"; empty for none.
  rewrite: string;
  // columns are the passes that are kept beside the selected one.
  columns: string[];
  // note is the id of the note that the tour is at; empty where there is none.
  note: string;
  // form is the one in which lines of Relax functions are shown.
  form: Form;
}

// parseState reads the query of an address. What it does not say is as given: the run, the view where it names none of views, and the form.
export function parseState(query: string, run: string, view: string, views: readonly string[], form: Form): State {
  const q = new URLSearchParams(query);
  const named = q.get("view") ?? "";
  return {
    run: q.get("run") || run,
    pass: q.get("pass") ?? "",
    fn: q.get("function") ?? "",
    view: views.includes(named) ? named : view,
    line: Math.max(0, Number.parseInt(q.get("line") ?? "", 10) || 0),
    history: q.get("history") ?? "",
    search: q.get("search") ?? "",
    rewrite: q.get("rewrite") ?? "",
    columns: q.getAll("column"),
    note: q.get("note") ?? "",
    form: q.get("form") === "exact" ? "exact" : q.get("form") === "compact" ? "compact" : form,
  };
}

// formatState writes the query that parseState reads, with its question mark.
export function formatState(s: State): string {
  const q = new URLSearchParams();
  if (s.run) q.set("run", s.run);
  if (s.pass) q.set("pass", s.pass);
  if (s.fn) q.set("function", s.fn);
  q.set("view", s.view);
  if (s.line) q.set("line", String(s.line));
  if (s.history) q.set("history", s.history);
  if (s.search) q.set("search", s.search);
  if (s.rewrite) q.set("rewrite", s.rewrite);
  for (const path of s.columns) q.append("column", path);
  if (s.note) q.set("note", s.note);
  // What goes without saying is left out.
  if (s.form !== "compact") q.set("form", s.form);
  // Slashes are allowed in a query and read better than %2F.
  return `?${q.toString().replaceAll("%2F", "/")}`;
}
