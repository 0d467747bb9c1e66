// The help: all keys, and the signs of the page. It is loaded when it is asked for.

import "../shared";
import { byId, h } from "../widgets/dom";
import type { View } from "../views/view";
import { describe } from "./keydocs";
import type { Keys } from "./keys";

const more: [string, string][] = [
  ["↑ ↓", "in the tree: previous, next; in the strip of passes: ← → too"],
  ["← →", "in the tree: close, open, into the functions of a pass; on a handle: move it"],
  ["↑ ↓ ← →", "in the graph: to the next node; on its frame: move it"],
  ["+ − 1 0", "in the graph: zoom in, zoom out, actual size, fit; in the timeline: + −"],
  ["Enter", "on a node of the graph: to its line; in the text: choose a name with the arrows, for its history"],
  ["N < > Esc", "in the graph: the neighborhood of the node, a step less, a step more, the whole graph"],
  ["Enter ⌫", "in the graph: open a group, fold the group of the node"],
  ["h", "in the graph: color nodes by their share of the time of a run"],
  ["Shift click", "on a node of the graph: its history; a click on a name in the text does the same"],
  ["Space", "in the tree: turn the pass off or on"],
  ["Alt+↑ Alt+↓", "in the tree: move the pass"],
  ["Delete", "in the tree: remove the pass"],
  ["Shift+F10", "in the tree: what can be done with the pass"],
  ["Ctrl+K", "palette: find a pass, function, view, run, setting or session, or do something"],
  ["Ctrl+Z Ctrl+Y", "undo, redo a change of the pipeline"],
];

// showHelp opens the dialog that lists the keys.
export function showHelp(keys: Keys, views: readonly View[]): void {
  const dialog = byId<HTMLDialogElement>("help");
  const row = (key: string, doc: string): HTMLElement =>
    h("div", {}, h("dt", {}, ...key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, doc));
  const close = h("button", { class: "btn", type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(
    h("div", { class: "dialog-head" }, h("h2", { id: "help-title" }, "Keyboard"), close),
    h("dl", { class: "keys" }, ...describe(keys, views).map((k) => row(k.key, k.doc)), ...more.map(([k, doc]) => row(k, doc))),
    h("h2", {}, "Marks"),
    h("p", { class: "marks" }, "● changed the module   ○ changed nothing   ✕ failed   – did not run   ⟳ running   · waiting   ↺ reused from an earlier run"),
    h("p", { class: "marks" }, "A solid checkbox marks an optional pass; a dashed one marks a lowering pass, which code generation needs."),
    h("p", { class: "marks" }, "In a diff: + added   − removed   ~ only renamed   ⇥ only indented   ↕ only moved: click the sign to go to the other place"),
    h("p", { class: "marks" }, "Lines of Relax functions are shortened: full names are under the pointer, and what is copied is exact."),
    // An exported page is without the server, and its documents.
    ...(document.getElementById("share") ? [h("h2", {}, "Words"), h("p", { class: "marks" },
      h("a", { href: "/docs/glossary", target: "_blank", rel: "noopener" }, "Glossary"), ": what kernel, hunk, or buffer means   ",
      h("a", { href: "/docs/page", target: "_blank", rel: "noopener" }, "The page"), ": all that is here   ",
      h("a", { href: "/docs/tutorial", target: "_blank", rel: "noopener" }, "Tutorial"), ": five minutes")] : []),
  );
  dialog.showModal();
}
