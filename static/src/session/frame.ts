// The frame of the page: which panes are open, and which one a narrow window shows. What the reader opened or closed is kept for the
// next visit, except over the code of a small window, where a pane is opened for a moment.

import { keep, setting } from "../store/prefs";
import type { Part } from "../store/session";
import { byId, press } from "../widgets/dom";
import { leave } from "./address";
import type { Inspector, Sheet } from "./inspector";

// phone shows one part at a time; in a small window the tree lies over the code, in a medium one the inspector does.
const phone = matchMedia("(max-width: 599px)");
const small = matchMedia("(max-width: 899px), (max-height: 559px)");
const medium = matchMedia("(max-width: 1279px)");

export class Frame {
  // on.shown is called when another pane is; on.search when the search is asked for.
  constructor(private readonly app: HTMLElement, private readonly inspector: Inspector, private readonly on: { shown(): void; search(): void }) {
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) {
      b.addEventListener("click", () => (b.dataset.tab === "search" ? this.on.search() : this.showTab((b.dataset.tab ?? "passes") as Part)));
    }
    // The button goes with what it opens, and the focus into it.
    byId("show-passes").addEventListener("click", () => {
      this.showTree(true);
      byId("tree").focus();
    });
    byId("center").addEventListener("pointerdown", () => {
      if (small.matches && !phone.matches && this.hasTree && !app.matches(".with-lesson")) this.showTree(false);
    });
    // What is written beside the code takes the room of the inspector; the reader can open it again.
    byId("center").addEventListener("beside", (e) => this.showDetails(this.wanted && !(e as CustomEvent<boolean>).detail));
    byId("toggle-details").addEventListener("click", () => this.keepDetails(!this.hasDetails));
    byId("close-details").addEventListener("click", () => {
      this.keepDetails(false);
      byId("toggle-details").focus();
    });
    small.addEventListener("change", () => this.fit());
    phone.addEventListener("change", () => this.fit());
    medium.addEventListener("change", () => this.fit());
    app.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented || phone.matches) return;
      if (small.matches && this.hasTree && byId("pipeline").contains(e.target as Node)) this.showTree(false);
      else return;
      e.preventDefault();
      byId("show-passes").focus();
    });
    this.fit();
  }

  // fit opens the panes as the window and the reader want them.
  private fit(): void {
    this.app.classList.toggle("no-tree", phone.matches ? false : small.matches || setting("tree") === "off");
    this.showDetails(phone.matches || this.wanted);
    this.showTab((this.app.dataset.tab ?? "passes") as Part);
  }

  // bring shows a part of the page: alone where the window is a phone's. Elsewhere it opens the inspector where that is asked for, and
  // closes what lies over the text where that is.
  bring(part: Part, sheet?: Sheet): void {
    if (part === "details") {
      this.showDetails(true);
      this.inspector.show(sheet ?? "pass");
    }
    if (part === "passes") this.app.classList.add("passes-front");
    if (phone.matches) this.showTab(part);
    else if ((part === "center" || part === "search") && small.matches) this.showTree(false);
    else if (part === "passes") this.showTree(true);
  }

  // turnLesson shows the lesson in the place of the passes, or the passes again.
  turnLesson(): void {
    this.app.classList.toggle("passes-front");
    if (!this.hasTree && !small.matches) this.showTree(true);
  }

  // toggleTree and toggleDetails fold a pane, toggleBoth both: with one of them open, both go.
  toggleTree(): void {
    this.showTree(!this.hasTree);
  }

  toggleDetails(): void {
    this.keepDetails(!this.hasDetails);
  }

  toggleBoth(): void {
    const open = !(this.hasTree || this.hasDetails);
    this.showTree(open);
    this.keepDetails(open);
  }

  private showTree(show: boolean): void {
    this.app.classList.toggle("no-tree", !show);
    press(byId("show-passes"), show);
    if (!small.matches) keep("tree", show ? "on" : "off");
    this.on.shown();
  }

  // closeDetails closes what bring has opened.
  closeDetails(): void {
    if (!phone.matches) this.showDetails(false);
  }

  private keepDetails(show: boolean): void {
    this.showDetails(show);
    if (!medium.matches) keep("inspector", show ? "on" : "off");
  }

  // wanted tells whether the reader left the inspector open where it lies over nothing.
  private get wanted(): boolean {
    return !medium.matches && setting("inspector") === "on";
  }

  private showDetails(show: boolean): void {
    this.app.classList.toggle("with-inspector", show);
    press(byId("toggle-details"), show);
    this.on.shown();
  }

  get hasTree(): boolean {
    return !this.app.classList.contains("no-tree");
  }

  get hasDetails(): boolean {
    return this.app.classList.contains("with-inspector");
  }

  // open shows a part that the reader has not gone to just now: the page opens on it, or the history of the browser names it.
  open(part: Part): void {
    this.app.dataset.tab = part;
    if (part === "search" && phone.matches) this.on.search();
    else this.showTab(part);
  }

  // showTab shows a part. On a phone it is all that is shown, and so a step in the history of the browser.
  private showTab(name: Part): void {
    if (phone.matches && this.app.dataset.tab !== name) leave();
    history.replaceState(name, "");
    this.app.dataset.tab = name;
    for (const b of document.querySelectorAll<HTMLElement>(".narrow-tabs [data-tab]")) press(b, b.dataset.tab === name);
    this.on.shown();
  }
}
