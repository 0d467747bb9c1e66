// The place of the history of a value below the strip of passes. What shows it is loaded when the reader comes near the text.

import { byId, part, tell } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";
import type { Around, HistoryView } from "../history/historyview";
import { messageOf } from "../store/format";
import type { Session } from "../store/session";

export class HistoryPane {
  private asked = false;
  private ready = false;
  private readonly view = part("the history script", () => Promise.all([import("../history/historyview"), lateStyle()]), ([own]) => {
    this.ready = true;
    return new own.HistoryView(this.store, this.around);
  });
  // offered tells whether the server knows what became of values; an exported page has none.
  readonly offered: boolean;

  constructor(private readonly store: Session, private readonly around: Around) {
    const button = document.getElementById("show-history");
    this.offered = button !== null;
    if (!button) return;
    const near = (): void => this.with(() => undefined);
    for (const event of ["pointerover", "focusin"]) byId("code").addEventListener(event, near, { once: true });
    // A click while the script is on its way is not lost.
    byId("code").addEventListener("click", (e) => this.ready || this.with((view) => view.click(e.clientX, e.clientY)));
    byId("code").addEventListener("keydown", (e) => {
      if (e.key !== "Enter" || e.defaultPrevented || e.target !== around.code.scroller) return;
      e.preventDefault();
      this.with((view) => view.pick());
    });
    button.addEventListener("click", () => this.ask());
  }

  // ask shows the history of what the reader is at.
  ask(): void {
    this.with((view) => view.ask());
  }

  // update follows the state of the page.
  update(): void {
    if (this.asked || this.store.state.history) this.with((view) => view.update());
  }

  // node shows the history of a node of the graph, by its line in the text after the pass or before it.
  node(line: number, before: boolean): void {
    this.with((view) => view.askLine(line, before));
  }

  private with(run: (view: HistoryView) => void): void {
    if (!this.offered) return;
    this.asked = true;
    this.view().then(run, (err: unknown) => tell(messageOf(err)));
  }
}
