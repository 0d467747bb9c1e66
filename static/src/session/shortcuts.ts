// The keys of a session's page.

import type { Session } from "../store/session";
import type { View } from "../views/view";
import { byId, later, tell } from "../widgets/dom";
import type { Center } from "./center";
import { showFilter, toggleMarks, toggleWords, toggleWrap } from "./controls";
import type { Edits } from "./edits";
import type { Frame } from "./frame";
import type { HistoryPane } from "./historypane";
import { type Keys, listen } from "./keys";
import type { Notes } from "./notes";
import type { PipelineBar } from "./pipelinebar";
import type { Schedules } from "./schedules";
import type { SearchPane } from "./searchpane";
import type { TimelinePane } from "./timelinepane";
import type { PipelineTree } from "./tree";
import type { UserPasses } from "./userpasses";

interface Parts {
  store: Session;
  views: readonly View[];
  center: Center;
  tree: PipelineTree;
  frame: Frame;
  timeline: TimelinePane;
  pipeline: PipelineBar;
  notes: Notes;
  user: UserPasses;
  edits: Edits;
  schedules: Schedules;
  history: HistoryPane;
  search: SearchPane;
  compare(): void;
  rewrites(dir: 1 | -1, decisions: boolean): void;
  why(): void;
}

// wireKeys returns the table of keys, to which parts that are loaded later add theirs.
export function wireKeys({ store, views, center, tree, frame, timeline, pipeline, notes, user, edits, schedules, history, search, compare, rewrites, why }: Parts): Keys {
  const move = (dir: 1 | -1, changed: boolean): void => {
    const step = tree.next(store.state.pass, dir, changed);
    if (step) store.select(step);
    else tell(dir > 0 ? "No later pass" : "No earlier pass");
  };
  const keys: Keys = {
    j: () => move(1, true),
    k: () => move(-1, true),
    J: () => move(1, false),
    K: () => move(-1, false),
    n: () => center.moveHunk(1),
    p: () => center.moveHunk(-1),
    u: () => store.turnDiff(),
    ...Object.fromEntries(views.flatMap((v) => (v.key ? [[v.key.key, () => store.setView(v.name)]] : []))),
    V: () => {
      const { columns, pass } = store.state;
      store.go({ columns: [...new Set([...columns, pass])].slice(-3) });
      tell(`${store.selected()?.name ?? "The imported module"} is kept as a column`);
    },
    ...(history.offered ? { ".": () => history.ask() } : {}),
    i: () => frame.toggleDetails(),
    ...(document.getElementById("lesson") ? { l: () => frame.turnLesson() } : {}),
    "[": () => frame.toggleTree(),
    "]": () => frame.toggleDetails(),
    "\\": () => frame.toggleBoth(),
    T: () => timeline.toggle(),
    y: why,
    ")": () => rewrites(1, false),
    "(": () => rewrites(-1, false),
    "}": () => rewrites(1, true),
    "{": () => rewrites(-1, true),
    z: () => store.turnForm(),
    "Alt+Z": () => toggleWrap(center),
    w: () => toggleWords(center),
    x: () => {
      const step = store.selected();
      if (step) void store.toggle(step);
    },
    ...(store.compiler ? { a: () => pipeline.act("add"), o: () => pipeline.act("options"), E: () => void user.open() } : {}),
    r: () => {
      if (store.mayRun) void store.runs.start();
      else byId("run").focus();
    },
    "=": compare,
    c: () => notes.add(),
    ">": () => notes.tour(1),
    "<": () => notes.tour(-1),
    ...(edits.offered ? { e: () => void edits.open() } : {}),
    ...(schedules.offered ? { d: () => void schedules.open() } : {}),
    t: () => toggleMarks(center, store),
    M: () => void center.code.goToOther().then((went) => went || tell("No line in view has moved")),
    f: () => {
      store.bring("passes");
      tree.enter();
    },
    F: () => {
      store.bring("passes");
      showFilter(true);
    },
    "/": () => search.open(),
    "?": () => help(),
  };
  const help = (): void => later(import("./help"), (own) => own.showHelp(keys, views), "The list of keys");
  const palette = (): void => later(import("./commands"), (own) => own.openCommands(store, keys, views), "The palette");
  listen(keys);
  document.addEventListener("keydown", (e) => {
    if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || document.querySelector("dialog[open]")) return;
    e.preventDefault();
    palette();
  });
  byId("search-button").addEventListener("click", palette);
  byId("help-button").addEventListener("click", help);
  return keys;
}
