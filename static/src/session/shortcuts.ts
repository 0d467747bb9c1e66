// The keys of a session's page.

import type { Session } from "../store/session";
import type { View } from "../views/view";
import { announce, byId } from "../widgets/dom";
import type { Center } from "./center";
import { showFilter, toggleMarks, toggleWords, toggleWrap } from "./controls";
import type { Edits } from "./edits";
import type { Frame } from "./frame";
import type { HistoryPane } from "./historypane";
import { type Key, listen } from "./keys";
import type { Notes } from "./notes";
import type { PipelineBar } from "./pipelinebar";
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
  history: HistoryPane;
  search: SearchPane;
  compare(): void;
  rewrites(dir: 1 | -1, decisions: boolean): void;
}

export function wireKeys({ store, views, center, tree, frame, timeline, pipeline, notes, user, edits, history, search, compare, rewrites }: Parts): void {
  const move = (dir: 1 | -1, changed: boolean): void => {
    const step = tree.next(store.state.pass, dir, changed);
    if (step) store.select(step);
    else announce(dir > 0 ? "No later pass" : "No earlier pass");
  };
  const keys: Key[] = [
    { key: "j", doc: "next changed pass", run: () => move(1, true) },
    { key: "k", doc: "previous changed pass", run: () => move(-1, true) },
    { key: "J", doc: "next pass", run: () => move(1, false) },
    { key: "K", doc: "previous pass", run: () => move(-1, false) },
    { key: "n", doc: "next hunk", run: () => center.moveHunk(1) },
    { key: "p", doc: "previous hunk", run: () => center.moveHunk(-1) },
    { key: "u", doc: "unified or side by side", run: () => store.turnDiff() },
    ...views.flatMap((v) => (v.key ? [{ ...v.key, run: () => store.setView(v.name) }] : [])),
    { key: ".", doc: "what became of the value, line, kernel, or node: its history", run: () => history.ask() },
    { key: "i", doc: "inspector: the pass, the value, notes, source", run: () => frame.toggleDetails() },
    { key: "[", doc: "fold the passes", run: () => frame.toggleTree() },
    { key: "]", doc: "fold the inspector", run: () => frame.toggleDetails() },
    { key: "\\", doc: "fold both: the code alone", run: () => frame.toggleBoth() },
    { key: "T", doc: "timeline", run: () => timeline.toggle() },
    { key: ")", doc: "next rewrite of the pass", run: () => rewrites(1, false) },
    { key: "(", doc: "previous rewrite of the pass", run: () => rewrites(-1, false) },
    { key: "}", doc: "next decision of the pass: why it did not do something", run: () => rewrites(1, true) },
    { key: "{", doc: "previous decision of the pass", run: () => rewrites(-1, true) },
    { key: "z", doc: "lines of Relax functions shortened, or as printed", run: () => store.turnForm() },
    { key: "Alt+Z", doc: "break long lines, or not", run: () => toggleWrap(center) },
    { key: "w", doc: "highlight the words that differ", run: () => toggleWords(center) },
    {
      key: "x", doc: "turn the pass off or on", run: () => {
        const step = store.selected();
        if (step) void store.toggle(step);
      },
    },
    ...(store.compiler ? [
      { key: "a", doc: "add a pass after the selected one", run: () => pipeline.act("add") },
      { key: "o", doc: "options of the pass", run: () => pipeline.act("options") },
    ] : []),
    {
      key: "r", doc: "run", run: () => {
        if (store.mayEdit()) void store.runs.start();
        else byId("run").focus();
      },
    },
    { key: "=", doc: "compare this run with the one shown before it", run: compare },
    { key: "c", doc: "add a note on the pass and line", run: () => notes.add() },
    ...(store.compiler ? [{ key: "E", doc: "write a pass", run: () => void user.open() }] : []),
    ...(edits.offered ? [{ key: "e", doc: "edit the IR after the pass and continue from there", run: () => void edits.open() }] : []),
    { key: "t", doc: "show lines that are only renamed or moved as such", run: () => toggleMarks(center, store) },
    { key: "M", doc: "to the other place of a line that moved", run: () => void center.code.goToOther().then((went) => went || announce("No line in view has moved")) },
    {
      key: "f", doc: "functions of the pass", run: () => {
        store.bring("passes");
        tree.enter();
      },
    },
    {
      key: "F", doc: "filter the passes", run: () => {
        store.bring("passes");
        showFilter(true);
      },
    },
    { key: "/", doc: "search the history of the run; so does Ctrl+K", run: () => search.open() },
    { key: "?", doc: "this help", run: () => help() },
  ];
  const help = (): void => void import("./help").then((own) => own.showHelp(keys));
  listen(keys);
  document.addEventListener("keydown", (e) => {
    if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || document.querySelector("dialog[open]")) return;
    e.preventDefault();
    search.open();
  });
  byId("help-button").addEventListener("click", help);
}
