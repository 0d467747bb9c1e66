// What the buttons and fields of a session's page do.

import { apart, setApart } from "../store/counts";
import { keep, setting } from "../store/prefs";
import type { Part, Session } from "../store/session";
import { copy } from "../widgets/dialogs";
import { announce, byId, press } from "../widgets/dom";
import { readAddress } from "./address";
import type { Center } from "./center";
import type { PipelineTree } from "./tree";

interface Parts {
  store: Session;
  center: Center;
  tree: PipelineTree;
  // back shows the part of the page that a step of the history of the browser was in.
  back(part: Part): void;
  // fork opens a copy of a session that this visitor may not change.
  fork(): void;
}

export function wireControls({ store, center, tree, back, fork }: Parts): void {
  const { runs } = store;
  const on = (id: string, event: string, run: (e: Event) => void): void => byId(id).addEventListener(event, run);
  const level = document.querySelector<HTMLInputElement>("#run-form input[name=opt_level]:checked");
  const target = byId<HTMLSelectElement>("target");
  runs.settings = { target: target.value, opt_level: Number(level?.value ?? 2), disabled: [] };
  on("run-form", "submit", (e) => {
    e.preventDefault();
    if (runs.mayEdit) void runs.start();
    else fork();
  });
  on("run-form", "change", (e) => {
    if (e.target === target) runs.set({ target: target.value });
    else runs.change({ opt_level: Number((e.target as HTMLInputElement).value) });
  });
  on("cancel", "click", () => void runs.cancel());
  on("words", "click", () => toggleWords(center));
  on("form", "click", () => store.turnForm());
  on("wrap", "click", () => toggleWrap(center));
  // A narrow window breaks lines unless the reader has said something else.
  setWrap(center, (setting("wrap") ?? (innerWidth < 600 ? "on" : "off")) === "on");
  on("marks", "click", () => toggleMarks(center, store));
  press(byId("marks"), apart());
  on("next-hunk", "click", () => center.moveHunk(1));
  on("prev-hunk", "click", () => center.moveHunk(-1));
  on("copy-command", "click", () => {
    const command = byId("command");
    void copy(byId("copy-command"), command.textContent ?? "", () => getSelection()?.selectAllChildren(command));
  });
  filterControls(store, tree);
  window.addEventListener("popstate", (e) => {
    if (e.state) back(e.state as Part);
    store.restore(readAddress());
  });
}

// showFilter shows the field that filters the passes, or hides it, which ends the filter.
export function showFilter(show: boolean): void {
  const filter = byId<HTMLInputElement>("filter");
  byId("pipeline-tools").hidden = !show;
  press(byId("toggle-filter"), show);
  if (show) return filter.focus();
  if (filter.value === "") return;
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
}

function filterControls(store: Session, tree: PipelineTree): void {
  const filter = byId<HTMLInputElement>("filter");
  byId("toggle-filter").addEventListener("click", () => showFilter(byId("pipeline-tools").hidden === true));
  filter.addEventListener("input", () => {
    store.filter = filter.value.trim();
    store.changed();
  });
  filter.addEventListener("keydown", (e) => {
    if (e.key === "Escape") {
      e.preventDefault();
      showFilter(false);
      tree.box.focus();
    }
    if (e.key !== "Enter") return;
    const first = tree.shown.steps.find((step) => step.kind !== "sequential");
    if (first) store.select(first);
    tree.box.focus();
  });
  const only = byId<HTMLInputElement>("only-changed");
  only.checked = store.onlyChanged;
  only.addEventListener("change", () => {
    store.onlyChanged = only.checked;
    keep("only-changed", String(only.checked));
    store.changed();
  });
}

// toggleWords marks the words that differ, or not.
export function toggleWords(center: Center): void {
  const b = byId("words");
  const on = b.getAttribute("aria-pressed") !== "true";
  press(b, on);
  center.code.setWords(on);
}

// toggleWrap breaks long lines, or not.
export function toggleWrap(center: Center): void {
  const on = byId("wrap").getAttribute("aria-pressed") !== "true";
  keep("wrap", on ? "on" : "off");
  setWrap(center, on);
  announce(on ? "Long lines are broken" : "Long lines are not broken");
}

function setWrap(center: Center, on: boolean): void {
  press(byId("wrap"), on);
  center.code.setWrap(on);
}

// toggleMarks shows lines that are only renamed or moved as such, or like all others.
export function toggleMarks(center: Center, store: Session): void {
  setApart(!apart());
  press(byId("marks"), apart());
  announce(apart() ? "Renamed and moved lines are shown as such" : "Renamed and moved lines are shown as removed and added");
  center.code.redraw();
  store.changed();
}
