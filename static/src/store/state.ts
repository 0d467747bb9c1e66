// The state that a link carries: which run, pass, function, view and line. It lives in the address and nowhere else.

export type View = "unified" | "split" | "ir" | "graph" | "metrics" | "code" | "result" | "source";

export interface State {
  run: string;
  pass: string;
  fn: string;
  view: View;
  line: number;
  // history is the question about what became of something, as in an address of the API; empty for none.
  history: string;
  // search is the query of the search over the history; empty where it is closed.
  search: string;
}

const views: View[] = ["unified", "split", "ir", "graph", "metrics", "code", "result", "source"];

export function readState(fallbackRun: string): State {
  waiting = null;
  const q = new URLSearchParams(location.search);
  const view = q.get("view") as View;
  return {
    run: q.get("run") || fallbackRun,
    pass: q.get("pass") ?? "",
    fn: q.get("function") ?? "",
    view: views.includes(view) ? view : preferredView(),
    line: Math.max(0, Number.parseInt(q.get("line") ?? "", 10) || 0),
    history: q.get("history") ?? "",
    search: q.get("search") ?? "",
  };
}

// waiting is the state that the address will show soon.
let waiting: State | null = null;

// writeState puts the state into the address. A new run is a step back in the history at once; all else replaces the entry when the
// page has been painted, because the browser takes its time for it.
export function writeState(s: State, newEntry = false): void {
  waiting = null;
  if (newEntry) return write(s, true);
  waiting = s;
  requestAnimationFrame(() => {
    window.setTimeout(() => {
      if (waiting === s) write(s, false);
    });
  });
}

function write(s: State, newEntry: boolean): void {
  waiting = null;
  const q = new URLSearchParams();
  if (s.run) q.set("run", s.run);
  if (s.pass) q.set("pass", s.pass);
  if (s.fn) q.set("function", s.fn);
  q.set("view", s.view);
  if (s.line) q.set("line", String(s.line));
  if (s.history) q.set("history", s.history);
  if (s.search) q.set("search", s.search);
  // Slashes are allowed in a query and read better than %2F.
  const url = `${location.pathname}?${q.toString().replaceAll("%2F", "/")}`;
  if (url === location.pathname + location.search) return;
  if (newEntry) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}

function preferredView(): View {
  return setting("diff-view") === "split" ? "split" : "unified";
}

// setting and keep hold the reader's preferences, which are not part of a link. Storage may be forbidden: then they last as long as the page.
const memory = new Map<string, string>();

export function setting(name: string): string | null {
  try {
    return localStorage.getItem(`irscope.${name}`) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

export function keep(name: string, value: string): void {
  memory.set(name, value);
  try {
    localStorage.setItem(`irscope.${name}`, value);
  } catch {
    // Kept in memory only.
  }
}
