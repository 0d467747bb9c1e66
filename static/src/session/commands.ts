// What the palette offers on a session's page: its passes, functions, views, runs and settings, what its keys and buttons do, and the
// visitor's other sessions. It is loaded when it is asked for.

import "../shared";
import { type Item, openPalette } from "../palette/palette";
import { api, json } from "../store/api";
import { plural, time } from "../store/format";
import { wholeModule, type Step } from "../store/model";
import type { Session } from "../store/session";
import { byId, later } from "../widgets/dom";
import type { View } from "../views/view";
import { describe } from "./keydocs";
import type { Keys } from "./keys";
import { spelled } from "./runchips";

export function openCommands(store: Session, keys: Keys, views: readonly View[]): Promise<void> {
  return openPalette({
    items: [...ofViews(store, views), ...ofKeys(keys, views), ...ofButtons(), withOthers(store), ...ofPasses(store), ...ofFunctions(store), ...ofSettings(store)],
    later: [ofRuns(store), ofSessions(store)],
    always: (query) => [{ kind: "search", name: `Search all passes for “${query}”`, key: "/", run: () => search(store, query) }],
  });
}

function search(store: Session, query: string): void {
  store.go({ search: query });
  store.bring("center");
}

function ofViews(store: Session, views: readonly View[]): Item[] {
  return views.map((v) => ({
    kind: "view", name: v.layout ? `${v.label}: ${v.layout.doc.split(/:| {2}/)[0]!.toLowerCase()}` : v.label, key: v.key?.key, run: () => store.setView(v.name),
  }));
}

// ofKeys lists what the keys do, except for showing a view.
function ofKeys(keys: Keys, views: readonly View[]): Item[] {
  const shows = new Set(views.flatMap((v) => (v.key ? [v.key.key] : [])));
  return describe(keys, views).filter((k) => !shows.has(k.key)).map((k) => ({ kind: "action", name: capital(k.doc), key: k.key, run: () => k.run() }));
}

// buttons are what the page does by buttons alone. What is not there, hidden or off is not offered.
const buttons: [selector: string, name: string, key?: string][] = [
  ["#undo", "Undo the last change of the settings", "Ctrl+Z"],
  ["#reset-passes", "Back to the named pipeline"],
  ["#context", "Settings of the run…"],
  ["#cancel", "Cancel this run"],
  ["#share, #share-menu", "Share a link to this place"],
  ["#fork > button, #fork-own > button", "Fork: continue in a copy of your own"],
  ["#copy-command", "Copy the command line of this run"],
  ['[data-export="html"]', "Export as an HTML page"],
  ['[data-export="zip"]', "Export as a zip archive"],
  ['[data-export="md"]', "Export as a Markdown report"],
  ["#edit-source", "Edit the source in a new session"],
  ["#theme", "Next theme: as the system, light, dark"],
  [".brand", "All models: the start page"],
  ["#delete-session", "Delete this session…"],
];

function withOthers(store: Session): Item {
  return { kind: "action", name: "Compare with another session…", run: () => later(import("./othersession"), (own) => own.compareWith(store), "The list of sessions") };
}

function ofButtons(): Item[] {
  return buttons.flatMap(([selector, name, key]) => {
    const el = document.querySelector<HTMLElement>(selector);
    if (!el || el.closest("[hidden]") || el.matches(":disabled")) return [];
    return [{ kind: "action", name, key, run: () => el.click() }];
  });
}

function ofPasses(store: Session): Item[] {
  const { model } = store;
  const steps = (store.plan.planned ?? model).all();
  const go = (step: Step): Item => ({
    kind: "pass", name: step.name, beside: said(step), run: () => {
      store.select(step);
      store.bring("center");
    },
  });
  const turn = (step: Step): Item => ({ kind: "turn", name: `Turn ${store.runs.disabled.includes(step.name) ? "on" : "off"} ${step.name}`, quiet: true, run: () => void store.toggle(step) });
  const names = new Set<string>();
  const once = steps.filter((step) => step.parent !== "" && step.path !== "import" && !names.has(step.name) && names.add(step.name));
  return [...steps.map(go), ...(store.mayRun ? once.map(turn) : [])];
}

// said is what a pass came to.
function said(step: Step): string {
  const number = step.path.includes("/") ? step.path.split("/", 1)[0]! : "";
  const f = step.finished;
  const lines = f && f.added + f.removed > 0 ? `+${f.added} −${f.removed}` : "";
  return [number, step.status === "skipped" ? step.text : step.status, lines, step.measured.total ? time(step.measured.total) : ""].filter(Boolean).join("  ");
}

function ofFunctions(store: Session): Item[] {
  const step = store.selected();
  const changed = new Map((step?.finished?.functions ?? []).map((f) => [f.name, f]));
  const pass = step ? step.path : "import";
  return store.model.functionsAt(step).map((f) => {
    const c = changed.get(f.name);
    return { kind: "function", name: f.name, beside: [step ? `after ${step.name}` : "", c ? c.change : ""].filter(Boolean).join("  "), quiet: !c, run: () => store.reveal(pass, f.name, 0, c !== undefined) };
  }).concat(step ? [{ kind: "function", name: "Whole module", beside: `after ${step.name}`, quiet: true, run: () => store.reveal(pass, wholeModule, 0, false) }] : []);
}

function ofSettings(store: Session): Item[] {
  const { runs } = store;
  if (!store.mayRun) return [];
  const levels = [0, 1, 2, 3, 4].filter((n) => n !== (runs.settings.opt_level ?? 2));
  const targets = [...byId<HTMLSelectElement>("target").options].filter((o) => o.value !== byId<HTMLSelectElement>("target").value);
  const config = new Map([...runs.passes.values()].flatMap((p) => (p.config ?? []).map((c) => [c.key, c] as const)));
  return [
    ...levels.map((n): Item => ({ kind: "setting", name: `opt_level ${n}`, quiet: true, run: () => runs.change({ opt_level: n }) })),
    ...targets.map((o): Item => ({ kind: "setting", name: `target ${o.value}`, beside: o.title, quiet: true, run: () => runs.change({ target: o.value }) })),
    ...[...config.values()].map((c): Item => ({ kind: "setting", name: c.key, beside: c.doc, quiet: true, run: () => byId("context").click() })),
  ];
}

async function ofRuns(store: Session): Promise<Item[]> {
  const list = await api.runs(store.id);
  return list.filter((r) => r.id !== store.runs.current).map((r) => ({
    kind: "run", name: `#${r.number} ${r.label}`, beside: [r.latency !== undefined ? time(r.latency) : spelled(r), r.kernels !== undefined ? plural(r.kernels, "kernel") : ""].filter(Boolean).join("  "),
    run: () => store.showRun(r.id),
  }));
}

async function ofSessions(store: Session): Promise<Item[]> {
  const { sessions } = await json<{ sessions: { id: string; title: string; created: string }[] }>("/api/sessions");
  return sessions.filter((s) => s.id !== store.id).map((s) => ({
    kind: "session", name: s.title, beside: new Date(s.created).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }), run: () => location.assign(`/s/${s.id}`),
  }));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
