// The place of the history of a value at the bottom of the page. What shows it is loaded when the reader comes near the text.

import { announce, byId, h } from "../widgets/dom";
import type * as Histories from "../history/historyview";
import type { SessionPage } from "./sessionpage";

export class HistoryPane {
  private loading: Promise<Histories.HistoryView> | null = null;

  constructor(private readonly page: SessionPage) {
    const near = (): void => void this.load().catch(() => undefined);
    for (const event of ["pointerover", "focusin"]) byId("code").addEventListener(event, near, { once: true });
    byId("code").addEventListener("keydown", (e) => {
      if (e.key !== "Enter" || e.defaultPrevented || e.target !== page.center.code.scroller) return;
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
    if (this.loading || this.page.state.history) this.with((view) => view.update());
  }

  // node shows the history of a node of the graph, by its line in the text after the pass or before it.
  node(line: number, before: boolean): void {
    this.with((view) => view.askLine(line, before));
  }

  private with(run: (view: Histories.HistoryView) => void): void {
    this.load().then(run, (err: unknown) => announce(err instanceof Error ? err.message : String(err)));
  }

  private load(): Promise<Histories.HistoryView> {
    this.loading ??= Promise.all([import("../history/historyview"), style(this.page.app.dataset.historyStyle!)]).then(
      ([own]) => new own.HistoryView(this.page),
      () => {
        this.loading = null;
        throw new Error("the script that shows histories cannot be loaded; is the server still running?");
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
