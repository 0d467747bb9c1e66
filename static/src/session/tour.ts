// The tour of the notes of a session: one note after the other, below the text at its place. The address says which, so that a link
// opens there.

import { beside, inOrder } from "../store/notes";
import type { Session } from "../store/session";
import { button, copy } from "../widgets/dialogs";
import { announce, byId, h, setText, tell } from "../widgets/dom";
import type { Note } from "../wire";
import { marked, where } from "./notetext";

export class Tour {
  private readonly place = h("button", { type: "button", class: "link tour-place", title: "Go there" });
  private readonly count = h("span", { class: "num quiet tour-count" });
  private readonly text = h("div", { class: "tour-text", tabindex: 0, role: "region", "aria-label": "Note" });
  private readonly back = button("Previous", () => this.move(-1), "small", { title: "Previous note  <" });
  private readonly on = button("Next", () => this.move(1), "small", { title: "Next note  >" });
  private readonly root: HTMLElement;
  private drawn = "";

  constructor(private readonly store: Session, private readonly notes: { all: Note[] }) {
    const link = button("Copy link", () => void copy(link, location.href, () => announce(`The address of this page is the link: ${location.href}`)), "quiet small", { title: "Copy a link to this note" });
    const close = button("✕", () => this.close(), "quiet small", { "aria-label": "End the tour", title: "End the tour" });
    this.root = h("section", { class: "tour", id: "tour", "aria-label": "Tour of the notes", hidden: true },
      h("div", { class: "tour-head" }, this.count, this.place, h("span", { class: "grow" }), this.back, this.on, link, close), this.text);
    byId("center").append(this.root);
    this.place.addEventListener("click", () => this.current && store.goToNote(this.current));
  }

  private get sorted(): Note[] {
    return inOrder(this.notes.all, this.store.model);
  }

  private get current(): Note | undefined {
    return this.notes.all.find((n) => n.id === this.store.state.note);
  }

  // move goes to the next (1) or previous (-1) note.
  move(dir: 1 | -1): void {
    if (this.notes.all.length === 0) return tell("This session has no notes");
    const to = beside(this.sorted, this.store.state.note, dir);
    if (to) this.open(to);
    else tell(dir > 0 ? "That was the last note" : "That was the first note");
  }

  // open shows a note at its place.
  open(n: Note): void {
    this.store.state = { ...this.store.state, note: n.id };
    this.store.goToNote(n);
    announce(`${where(n)}: ${n.text}`);
  }

  // draw follows the address and the notes.
  draw(): void {
    const n = this.current;
    const key = n ? JSON.stringify([n, this.notes.all.length, this.sorted.indexOf(n)]) : "";
    if (key === this.drawn) return;
    this.drawn = key;
    this.root.hidden = !n;
    if (!n) return;
    const { sorted } = this;
    const at = sorted.indexOf(n);
    setText(this.count, `Note ${at + 1} of ${sorted.length}`);
    setText(this.place, where(n));
    this.text.replaceChildren(marked(n));
    this.back.disabled = at === 0;
    this.on.disabled = at === sorted.length - 1;
  }

  private close(): void {
    this.store.go({ note: "" });
    byId("code").focus({ preventScroll: true });
  }
}
