// The lines of the shown text that belong to what a history is about.

import { json } from "../store/api";
import type { Marks } from "./wire";
import { importPath } from "../store/model";
import type { Session } from "../store/session";
import type { CodeView } from "../widgets/codeview";
import type { Side } from "../store/source";
import { byLine, markNames, type NamesByLine, noNames } from "../widgets/namemarks";

export class HistoryMarks {
  private marked = "";
  private lines: NamesByLine = noNames();

  constructor(private readonly store: Session, private readonly code: CodeView) {
    markNames(code, () => this.lines);
  }

  // follow asks for the lines of the text that the page shows; on is false where it shows none, or there is no history.
  follow(on: boolean): void {
    const { state, model, fn } = this.store;
    const step = state.pass || importPath;
    const key = on && fn && fn !== "*" ? [model.id, state.history, step, fn, model.steps.get(step)?.seq ?? 0].join(" ") : "";
    if (key === this.marked) return;
    this.marked = key;
    if (key) return void this.ask(key, step, fn);
    this.lines = noNames();
    this.code.redraw();
  }

  private async ask(key: string, step: string, fn: string): Promise<void> {
    const ask = (side: Side): Promise<Marks> => {
      const q = new URLSearchParams({ show: step, in: fn, shown: side });
      return json<Marks>(`/api/runs/${this.store.model.id}/history/marks?${this.store.state.history}&${q}`);
    };
    let lines = noNames();
    try {
      const [before, after] = await Promise.all([step === importPath ? { marks: [] } : ask("before"), ask("after")]);
      lines = { before: byLine(before.marks), after: byLine(after.marks) };
    } catch {
      // The strip says what there is; without the marks the text reads as before.
    }
    if (key !== this.marked) return;
    this.lines = lines;
    this.code.redraw();
  }
}
