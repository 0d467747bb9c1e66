// The list of notes in the inspector, and the dialog in which one is written.

import "../shared";
import { post, remove } from "../store/api";
import { ask, button } from "../widgets/dialogs";
import { announce, byId, h, setText } from "../widgets/dom";
import { messageOf } from "../store/format";
import { concerns, inOrder } from "../store/notes";
import type { Place, Session } from "../store/session";
import type { Note } from "../wire";
import { addInGutter } from "./gutter";
import { writeNote } from "./notedialog";
import { marked, where } from "./notetext";
import { Tour } from "./tour";

// Kept is where the notes are kept.
interface Kept {
  all: Note[];
  readonly path: string;
  say(problem: string): void;
}

export class NoteList {
  readonly tour: Tour;
  private drawn = "";
  private readonly go = button("Tour", () => this.tour.move(1), "small", { title: "Go from note to note  >", id: "start-tour" });

  constructor(private readonly store: Session, private readonly notes: Kept) {
    this.tour = new Tour(store, notes);
    byId("add-note").after(" ", this.go);
    addInGutter(store, { add: () => store.mayEdit() && this.add(), open: (line) => this.openAt(line) });
  }

  // openAt shows the note on a line of the text that is shown.
  private openAt(line: number): boolean {
    const { run, step, function: fn } = this.store.here();
    const n = this.notes.all.find((x) => concerns(x, run) && x.step === step && x.function === fn && x.line === line);
    if (n) this.tour.open(n);
    return n !== undefined;
  }

  // add asks for a note on the place where the reader is.
  add(): void {
    const here = this.store.here();
    this.write(`Note on ${where(here)}`, "", async (text) => {
      this.notes.all = [...this.notes.all, (await post<{ note: Note }>(this.notes.path, { ...here, text })).note];
      announce("Note added");
    });
  }

  private edit(n: Note): void {
    this.write(`Note on ${where(n)}`, n.text, async (text) => {
      const { run, step, line } = n;
      const fresh = (await post<{ note: Note }>(`${this.notes.path}/${n.id}`, { run, step, function: n.function, line, text })).note;
      this.notes.all = this.notes.all.map((old) => (old.id === n.id ? fresh : old));
    });
  }

  private async delete(n: Note): Promise<void> {
    if (!(await ask("Delete this note?", n.text.length > 200 ? `${n.text.slice(0, 200)}…` : n.text, "Delete"))) return;
    try {
      await remove(`${this.notes.path}/${n.id}`);
      this.notes.all = this.notes.all.filter((old) => old.id !== n.id);
      this.notes.say("");
      announce("Note deleted");
    } catch (err) {
      this.notes.say(`The note was not deleted: ${messageOf(err)}`);
    }
    this.store.changed();
    byId("add-note").focus();
  }

  // write asks for the text of a note.
  private write(title: string, text: string, save: (text: string) => Promise<void>): void {
    writeNote(title, text, async (saved) => {
      await save(saved);
      this.notes.say("");
      this.store.changed();
    });
  }

  // draw lists the notes: those of the run in the order of its steps, then those of other runs.
  draw(): void {
    this.tour.draw();
    const { model } = this.store;
    const { mayEdit } = this.store.runs;
    const here = this.store.here();
    byId("add-note").hidden = !mayEdit;
    this.go.hidden = this.notes.all.length === 0;
    byId("no-notes").hidden = this.notes.all.length > 0;
    const key = [model.id, model.steps.size, mayEdit, here.step, here.function, here.line, JSON.stringify(this.notes.all)].join("\n");
    if (key === this.drawn) return;
    this.drawn = key;
    setText(byId("notes-count"), this.notes.all.length > 0 ? String(this.notes.all.length) : "");
    const sorted = inOrder(this.notes.all, model);
    byId("note-list").replaceChildren(...sorted.map((n) => this.item(n, here, model.id, mayEdit)));
    byId("note-list").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  private item(n: Note, here: Place, run: string, mayEdit: boolean): HTMLElement {
    const sameStep = concerns(n, run) && n.step === here.step;
    const atLine = sameStep && Boolean(n.line) && n.line === here.line && n.function === here.function;
    const go = h("button", { type: "button", class: "link note-go", title: "Go there" }, where(n));
    go.addEventListener("click", () => this.store.goToNote(n));
    return h(
      "li",
      { class: sameStep ? "here" : "", "data-note": n.id, "aria-current": atLine ? "true" : null },
      h("p", { class: "note-place" }, go, concerns(n, run) ? null : h("span", { class: "quiet" }, "another run")),
      marked(n),
      mayEdit
        ? h("p", { class: "note-tools" },
            button("Edit", () => this.edit(n), "quiet small", { "aria-label": `Edit the note on ${where(n)}` }),
            button("Delete", () => void this.delete(n), "quiet small", { "aria-label": `Delete the note on ${where(n)}` }))
        : null,
    );
  }
}
