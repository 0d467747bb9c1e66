// Notes of people on a session, each pinned to a step, a function and a line: which there are, and where. What lists and writes them is
// loaded beside the first view.

import { json } from "../store/api";
import { byId, setText } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";
import { messageOf } from "../store/format";
import { concerns } from "../store/notes";
import type { Session } from "../store/session";
import type { Note } from "../wire";
import type { NoteList } from "./notelist";

export class Notes {
  all: Note[] = [];
  readonly path: string;
  private list: Promise<NoteList> | null = null;

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
    this.with(() => undefined);
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
    if (this.store.mayEdit()) this.with((list) => list.add());
  }

  // tour goes to the next (1) or previous (-1) note.
  tour(dir: 1 | -1): void {
    this.with((list) => list.tour.move(dir));
  }

  // draw brings the list up to date, once it is there.
  draw(): void {
    if (this.list) this.with((list) => list.draw());
  }

  say(problem: string): void {
    setText(byId("notes-problem"), problem);
    byId("notes-problem").hidden = problem === "";
  }

  // with does something with the list of notes.
  with(run: (list: NoteList) => void): void {
    this.list ??= Promise.all([import("./notelist"), lateStyle()]).then(([own]) => new own.NoteList(this.store, this));
    this.list.then(run, (err: unknown) => {
      this.list = null;
      this.say(`The notes cannot be shown: ${messageOf(err)}`);
    });
  }
}
