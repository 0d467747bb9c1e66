// What the buttons and fields of a session's page do.

import { copy } from "../widgets/dialogs";
import { apart, setApart } from "../widgets/delta";
import { announce, byId, press } from "../widgets/dom";
import type { SessionPage } from "./sessionpage";
import { keep, readState, setting, type View } from "../store/state";

export function wireControls(page: SessionPage): void {
  const { app, runs, center } = page;
  const on = (id: string, event: string, run: (e: Event) => void): void => byId(id).addEventListener(event, run);
  on("run-form", "submit", (e) => {
    e.preventDefault();
    void (runs.mayEdit ? runs.start() : page.sharing.fork());
  });
  on("run-form", "change", (e) => runs.change({ opt_level: Number((e.target as HTMLInputElement).value) }));
  on("cancel", "click", () => void runs.cancel());
  on("words", "click", () => toggleWords(page));
  on("marks", "click", () => toggleMarks(page));
  press(byId("marks"), apart());
  on("next-hunk", "click", () => center.moveHunk(1));
  on("prev-hunk", "click", () => center.moveHunk(-1));
  on("toggle-details", "click", () => {
    const show = app.classList.contains("no-details");
    showDetails(app, show);
    keep("details", show ? "on" : "off");
  });
  on("copy-command", "click", () => {
    const command = byId("command");
    void copy(byId("copy-command"), command.textContent ?? "", () => getSelection()?.selectAllChildren(command));
  });
  on("scale-time", "click", () => setScale(page, false));
  on("scale-step", "click", () => setScale(page, true));
  if (setting("details") === "off" || (setting("details") === null && innerWidth < 1200)) showDetails(app, false);
  filterControls(page);
  for (const b of document.querySelectorAll<HTMLElement>("#center-tools [data-view]")) {
    b.addEventListener("click", () => page.setView(b.dataset.view as View));
  }
  for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) {
    b.addEventListener("click", () => page.showTab(b.dataset.tab ?? "passes"));
  }
  window.addEventListener("popstate", () => {
    const run = page.state.run;
    page.state = readState(app.dataset.run ?? "");
    if (page.state.run !== run) runs.show(page.state.run);
    page.render();
  });
}

function filterControls(page: SessionPage): void {
  const filter = byId<HTMLInputElement>("filter");
  filter.addEventListener("input", () => {
    page.filter = filter.value.trim();
    page.render();
  });
  filter.addEventListener("keydown", (e) => {
    if (e.key !== "Enter") return;
    const first = page.tree.visible.find((step) => step.kind !== "sequential");
    if (first) page.select(first);
    page.tree.box.focus();
  });
  const only = byId<HTMLInputElement>("only-changed");
  only.checked = page.onlyChanged;
  only.addEventListener("change", () => {
    page.onlyChanged = only.checked;
    keep("only-changed", String(only.checked));
    page.render();
  });
}

export function toggleWords(page: SessionPage): void {
  const b = byId("words");
  const on = b.getAttribute("aria-pressed") !== "true";
  press(b, on);
  page.center.code.setWords(on);
}

// toggleMarks shows lines that are only renamed or moved as such, or like all others.
export function toggleMarks(page: SessionPage): void {
  setApart(!apart());
  press(byId("marks"), apart());
  announce(apart() ? "Renamed and moved lines are shown as such" : "Renamed and moved lines are shown as removed and added");
  page.center.code.redraw();
  page.render();
}

// showDetails shows or hides the column of details.
export function showDetails(app: HTMLElement, show: boolean): void {
  app.classList.toggle("no-details", !show);
  press(byId("toggle-details"), show);
}

function setScale(page: SessionPage, byStep: boolean): void {
  page.timeline.setScale(byStep);
  press(byId("scale-step"), byStep);
  press(byId("scale-time"), !byStep);
}
