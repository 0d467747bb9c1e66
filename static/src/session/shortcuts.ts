// The keys of a session's page.

import { toggleMarks, toggleWords } from "./controls";
import { announce, byId } from "../widgets/dom";
import { helpDialog, type Key, listen } from "./keys";
import type { SessionPage } from "./sessionpage";

export function wireKeys(page: SessionPage): void {
  const { app, center } = page;
  const keys: Key[] = [
    { key: "j", doc: "next changed pass", run: () => page.move(1, true) },
    { key: "k", doc: "previous changed pass", run: () => page.move(-1, true) },
    { key: "J", doc: "next pass", run: () => page.move(1, false) },
    { key: "K", doc: "previous pass", run: () => page.move(-1, false) },
    { key: "n", doc: "next hunk", run: () => center.moveHunk(1) },
    { key: "p", doc: "previous hunk", run: () => center.moveHunk(-1) },
    { key: "u", doc: "unified or side by side", run: () => page.setView(page.state.view === "unified" ? "split" : "unified") },
    ...(app.dataset.compiler === "true" ? [{ key: "g", doc: "graph of the function", run: () => page.setView("graph") }] : []),
    { key: ".", doc: "what became of the value, line, kernel or node: its history", run: () => page.history.ask() },
    { key: "w", doc: "mark the words that differ", run: () => toggleWords(page) },
    { key: "x", doc: "turn the pass off or on", run: () => page.toggleSelected() },
    ...(page.pipeline.offered ? [
      { key: "a", doc: "add a pass after the selected one", run: () => page.pipeline.act("add") },
      { key: "o", doc: "options of the pass", run: () => page.pipeline.act("options") },
    ] : []),
    { key: "r", doc: "run", run: () => page.run() },
    { key: "c", doc: "add a note on the pass and line", run: () => page.addNote() },
    ...(page.user.offered ? [{ key: "E", doc: "write a pass", run: () => void page.user.open() }] : []),
    ...(page.edits.offered ? [{ key: "e", doc: "edit the IR behind the pass, and continue from there", run: () => void page.edits.open() }] : []),
    ...(app.dataset.source ? [{ key: "s", doc: "the text that this session starts from", run: () => page.setView("source") }] : []),
    { key: "m", doc: "metrics of the pass", run: () => page.setView("metrics") },
    { key: "t", doc: "show lines that are only renamed or moved as such", run: () => toggleMarks(page) },
    { key: "M", doc: "to the other place of a line that moved", run: () => void page.center.code.goToOther().then((went) => went || announce("No line in view has moved")) },
    { key: "f", doc: "list of functions", run: () => page.functions.box.focus() },
    { key: "F", doc: "filter the passes", run: () => byId("filter").focus() },
    { key: "/", doc: "search over the history of the run", run: () => page.search.open() },
    { key: "?", doc: "this help", run: () => help() },
  ];
  const help = helpDialog(keys);
  listen(keys);
  byId("help-button").addEventListener("click", help);
}
