// The frame of the page: which pane a narrow window shows, and whether the details are there.

import type { Part } from "../store/session";
import { byId, press, setAttr } from "../widgets/dom";

const narrow = matchMedia("(max-width: 760px)");

export class Frame {
  // shown is called when another pane is.
  constructor(private readonly app: HTMLElement, private readonly shown: () => void) {
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) {
      b.addEventListener("click", () => this.showTab((b.dataset.tab ?? "passes") as Part));
    }
  }

  // bring shows a part of the page where the window is narrow, which shows one alone; elsewhere it opens the details where they are
  // asked for.
  bring(part: Part): void {
    if (part === "details") this.showDetails(true);
    if (narrow.matches) this.showTab(part);
  }

  // showDetails shows or hides the column of details.
  showDetails(show: boolean): void {
    this.app.classList.toggle("no-details", !show);
    press(byId("toggle-details"), show);
  }

  get hasDetails(): boolean {
    return !this.app.classList.contains("no-details");
  }

  private showTab(name: Part): void {
    this.app.dataset.tab = name;
    // The timeline stands beside the main part of the page, which it replaces in a narrow window.
    setAttr(byId("timeline"), "role", name === "timeline" && narrow.matches ? "main" : null);
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) press(b, b.dataset.tab === name);
    this.shown();
  }
}
