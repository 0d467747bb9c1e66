// The lines of the shown text that belong to what a history is about.

import { json } from "../store/api";
import { cellsOf, wordsOf } from "../store/cells";
import type { Marks } from "./wire";
import { importPath } from "../store/model";
import type { Session } from "../store/session";
import type { CodeView } from "../widgets/codeview";
import type { Row, Side } from "../store/source";

type Lines = Record<Side, Map<number, Set<string>>>;

export class HistoryMarks {
  private marked = "";
  private lines: Lines = none();

  constructor(private readonly store: Session, private readonly code: CodeView) {
    code.decorate = (row, el) => this.decorate(row, el);
  }

  // follow asks for the lines of the text that the page shows; on is false where it shows none, or there is no history.
  follow(on: boolean): void {
    const { state, model, fn } = this.store;
    const step = state.pass || importPath;
    const key = on && fn && fn !== "*" ? [model.id, state.history, step, fn, model.steps.get(step)?.seq ?? 0].join(" ") : "";
    if (key === this.marked) return;
    this.marked = key;
    if (key) return void this.ask(key, step, fn);
    this.lines = none();
    this.code.redraw();
  }

  private async ask(key: string, step: string, fn: string): Promise<void> {
    const ask = (side: Side): Promise<Marks> => {
      const q = new URLSearchParams({ show: step, in: fn, shown: side });
      return json<Marks>(`/api/runs/${this.store.model.id}/history/marks?${this.store.state.history}&${q}`);
    };
    let lines = none();
    try {
      const [before, after] = await Promise.all([step === importPath ? { marks: [] } : ask("before"), ask("after")]);
      lines = { before: byLine(before), after: byLine(after) };
    } catch {
      // The strip says what there is; without the marks the text reads as before.
    }
    if (key !== this.marked) return;
    this.lines = lines;
    this.code.redraw();
  }

  private decorate(row: Row, el: HTMLElement): [Element, string, number, number][] {
    if (row.kind === "head" || row.kind === "fold" || !this.marked) return [];
    const split = this.code.shown?.split ?? false;
    const out: [Element, string, number, number][] = [];
    const elements = [...el.querySelectorAll(".tx")];
    cellsOf(row, split).forEach((cell, k) => {
      const tx = elements[k];
      const names = cell && this.lines[cell.side].get(cell.line);
      if (!names || !tx?.firstChild) return;
      tx.classList.add("lived");
      for (const w of wordsOf(cell)) if (names.has(w.full)) out.push([tx, "lived", w.start, w.end]);
    });
    return out;
  }
}

function none(): Lines {
  return { before: new Map(), after: new Map() };
}

function byLine(a: Marks): Map<number, Set<string>> {
  const out = new Map<number, Set<string>>();
  for (const m of a.marks) {
    const names = out.get(m.line) ?? new Set();
    names.add(m.name);
    out.set(m.line, names);
  }
  return out;
}
