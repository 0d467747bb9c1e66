// Notes of people on a session, each pinned to a step, a function and a line.

import { json, post, remove } from "../store/api";
import { ask, button } from "../widgets/dialogs";
import { announce, byId, h, setText } from "../widgets/dom";
import { messageOf } from "../store/format";
import { importPath } from "../store/model";
import type { Place, Session } from "../store/session";
import type { Note } from "../wire";

export class Notes {
  all: Note[] = [];
  private readonly path: string;
  private drawn = "";

  constructor(private readonly store: Session) {
    this.path = `/api/sessions/${store.id}/notes`;
    byId("add-note").addEventListener("click", () => this.add());
  }

  async load(): Promise<void> {
    try {
      this.all = (await json<{ notes: Note[] }>(this.path)).notes;
      this.say("");
    } catch (err) {
      this.say(`The notes could not be read: ${messageOf(err)}`);
    }
    this.store.changed();
  }

  // steps counts the notes of a run by step.
  steps(run: string): Map<string, number> {
    const out = new Map<string, number>();
    for (const n of this.all) if (n.step && concerns(n, run)) out.set(n.step, (out.get(n.step) ?? 0) + 1);
    return out;
  }

  // lines are the notes on the lines of a function after a step.
  lines(run: string, step: string, fn: string): Map<number, string> {
    const out = new Map<number, string>();
    for (const n of this.all) {
      if (!n.line || n.step !== step || n.function !== fn || !concerns(n, run)) continue;
      out.set(n.line, out.has(n.line) ? `${out.get(n.line)}\n\n${n.text}` : n.text);
    }
    return out;
  }

  // add asks for a note on the place where the reader is.
  add(): void {
    if (!this.store.mayEdit()) return;
    const here = this.store.here();
    this.write(`Note on ${where(here)}`, "", async (text) => {
      this.all = [...this.all, (await post<{ note: Note }>(this.path, { ...here, text })).note];
      announce("Note added");
    });
  }

  private edit(n: Note): void {
    this.write(`Note on ${where(n)}`, n.text, async (text) => {
      const { run, step, line } = n;
      const fresh = (await post<{ note: Note }>(`${this.path}/${n.id}`, { run, step, function: n.function, line, text })).note;
      this.all = this.all.map((old) => (old.id === n.id ? fresh : old));
    });
  }

  private async delete(n: Note): Promise<void> {
    if (!(await ask("Delete this note?", n.text.length > 200 ? `${n.text.slice(0, 200)}…` : n.text, "Delete"))) return;
    try {
      await remove(`${this.path}/${n.id}`);
      this.all = this.all.filter((old) => old.id !== n.id);
      this.say("");
      announce("Note deleted");
    } catch (err) {
      this.say(`The note was not deleted: ${messageOf(err)}`);
    }
    this.store.changed();
    byId("add-note").focus();
  }

  // write asks for the text of a note; what asks is loaded when it is needed.
  private write(title: string, text: string, save: (text: string) => Promise<void>): void {
    import("./notedialog").then((own) => own.writeNote(title, text, async (saved) => {
      await save(saved);
      this.say("");
      this.store.changed();
    }), (err: unknown) => this.say(`The note cannot be written: ${messageOf(err)}`));
  }

  // draw lists the notes: those of the run in the order of its steps, then those of other runs.
  draw(): void {
    const { model } = this.store;
    const { mayEdit } = this.store.runs;
    const here = this.store.here();
    byId("add-note").hidden = !mayEdit;
    byId("no-notes").hidden = this.all.length > 0;
    const key = [model.id, model.steps.size, mayEdit, here.step, here.function, here.line, JSON.stringify(this.all)].join("\n");
    if (key === this.drawn) return;
    this.drawn = key;
    setText(byId("notes-count"), this.all.length > 0 ? String(this.all.length) : "");
    const order = new Map([...model.steps.keys()].map((path, i) => [path, i]));
    const rank = (n: Note): number => (concerns(n, model.id) ? (n.step === importPath ? -1 : (order.get(n.step ?? "") ?? 1e6)) : 1e7);
    const sorted = [...this.all].sort((a, b) => rank(a) - rank(b) || (a.function ?? "").localeCompare(b.function ?? "") || (a.line ?? 0) - (b.line ?? 0));
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
      h("p", { class: "note-text" }, n.text),
      mayEdit
        ? h("p", { class: "note-tools" },
            button("Edit", () => this.edit(n), "quiet small", { "aria-label": `Edit the note on ${where(n)}` }),
            button("Delete", () => void this.delete(n), "quiet small", { "aria-label": `Delete the note on ${where(n)}` }))
        : null,
    );
  }

  private say(problem: string): void {
    setText(byId("notes-problem"), problem);
    byId("notes-problem").hidden = problem === "";
  }
}

// concerns tells whether a note is on a run.
function concerns(n: Note, run: string): boolean {
  return !n.run || n.run === run;
}

// where names the place of a note: "FuseTIR › main, line 12".
function where(n: Partial<Place>): string {
  const step = n.step === importPath ? "Imported module" : (n.step ?? "").slice((n.step ?? "").indexOf("/") + 1);
  const place = [step, n.function].filter(Boolean).join(" › ") || "the session";
  return n.line ? `${place}, line ${n.line}` : place;
}
