// The keyboard: one table of keys, which the help shows too.

import { byId, h } from "../widgets/dom";

export interface Key {
  // key is what is typed, with "Alt+" before it where that is held.
  key: string;
  doc: string;
  run(): void;
}

export function listen(keys: Key[]): void {
  const byKey = new Map(keys.map((k) => [k.key, k]));
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey) return;
    const target = e.target as HTMLElement;
    if (document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]")) {
      if (e.key === "Escape") target.blur();
      return;
    }
    // With Alt some systems type another letter; the code of the key stays.
    const k = byKey.get(e.altKey ? `Alt+${e.code.replace("Key", "")}` : e.key);
    if (!k) return;
    e.preventDefault();
    k.run();
  });
}

const more: [string, string][] = [
  ["↑ ↓", "in the tree or the function list: previous, next"],
  ["← →", "in the tree: close, open; on a handle: move it"],
  ["↑ ↓ ← →", "in the graph: to the next node; on its frame: move it"],
  ["+ − 0 a", "in the graph: zoom in, zoom out, actual size, fit"],
  ["Enter", "on a node of the graph: to its line; in the text: choose a name with the arrows, for its history"],
  ["Shift click", "on a node of the graph: its history; a click on a name in the text does the same"],
  ["Space", "in the tree: turn the pass off or on"],
  ["Alt+↑ Alt+↓", "in the tree: move the pass"],
  ["Delete", "in the tree: remove the pass"],
  ["Ctrl+Z Ctrl+Y", "undo, redo a change of the pipeline"],
];

export function helpDialog(keys: Key[]): () => void {
  const dialog = byId<HTMLDialogElement>("help");
  const row = (key: string, doc: string): HTMLElement =>
    h("tr", {}, h("th", { scope: "row" }, ...key.split(" ").map((k) => h("kbd", {}, k))), h("td", {}, doc));
  const close = h("button", { class: "btn", type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(
    h("h2", { id: "help-title" }, "Keyboard"),
    h("table", { class: "keys" }, h("tbody", {}, ...keys.map((k) => row(k.key, k.doc)), ...more.map(([k, doc]) => row(k, doc)))),
    h("h2", {}, "Marks"),
    h("p", { class: "marks" }, "● changed the module   ○ changed nothing   ✕ failed   – did not run   ⟳ running   · waiting   ↺ reused from an earlier run"),
    h("p", { class: "marks" }, "A solid checkbox marks an optional pass; a dashed one marks a lowering pass, which code generation needs."),
    h("p", { class: "marks" }, "In a diff: + added   − removed   ~ only renamed   ⇥ only indented   ↕ only moved: click the sign to go to the other place"),
    h("p", { class: "marks" }, "Lines of Relax functions are shortened: full names are under the pointer, and what is copied is exact."),
    close,
  );
  return () => dialog.showModal();
}
