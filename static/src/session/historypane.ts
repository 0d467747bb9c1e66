// The place of the history of a value below the strip of passes. What shows it is loaded when the reader comes near the text.

import { announce, byId, h } from "../widgets/dom";
import type { Around, HistoryView } from "../history/historyview";
import { messageOf } from "../store/format";
import type { Session } from "../store/session";

export class HistoryPane {
  private loading: Promise<HistoryView> | null = null;

  constructor(private readonly store: Session, private readonly around: Around, private readonly styleSheet: string) {
    const near = (): void => void this.load().catch(() => undefined);
    for (const event of ["pointerover", "focusin"]) byId("code").addEventListener(event, near, { once: true });
    byId("code").addEventListener("keydown", (e) => {
      if (e.key !== "Enter" || e.defaultPrevented || e.target !== around.code.scroller) return;
      e.preventDefault();
      this.with((view) => view.pick());
    });
    byId("show-history").addEventListener("click", () => this.ask());
  }

  // ask shows the history of what the reader is at.
  ask(): void {
    this.with((view) => view.ask());
  }

  // update follows the state of the page.
  update(): void {
    if (this.loading || this.store.state.history) this.with((view) => view.update());
  }

  // node shows the history of a node of the graph, by its line in the text after the pass or before it.
  node(line: number, before: boolean): void {
    this.with((view) => view.askLine(line, before));
  }

  private with(run: (view: HistoryView) => void): void {
    this.load().then(run, (err: unknown) => announce(messageOf(err)));
  }

  private load(): Promise<HistoryView> {
    this.loading ??= Promise.all([import("../history/historyview"), style(this.styleSheet)]).then(
      ([own]) => new own.HistoryView(this.store, this.around),
      () => {
        this.loading = null;
        throw new Error("the history script could not be loaded; is the server still running?");
      },
    );
    return this.loading;
  }
}

// style adds a style sheet to the page.
function style(href: string): Promise<void> {
  const link = h("link", { rel: "stylesheet", href });
  document.head.append(link);
  return new Promise((done, fail) => {
    link.addEventListener("load", () => done());
    link.addEventListener("error", () => {
      link.remove();
      fail(new Error());
    });
  });
}
