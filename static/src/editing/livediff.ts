// What an edit does, below the editor, as it is typed.

import { RowsSource } from "../store/rowssource";
import type { CodeView } from "../widgets/codeview";
import { h, setText } from "../widgets/dom";
import type { DiffPage } from "../wire";

// MakeCode makes a view of code in an element.
export type MakeCode = (host: HTMLElement) => CodeView;

export class LiveDiff {
  readonly root: HTMLElement;
  private readonly said = h("p", { class: "live-said", role: "status" });
  private readonly host = h("div", { class: "code-host live-code" });
  private code: CodeView | null = null;

  constructor(private readonly make: MakeCode, label: string) {
    this.root = h("section", { class: "live", "aria-label": label, hidden: true }, this.said, this.host);
  }

  // show says what the edit does, and shows the difference where there is one.
  show(text: string, diff: DiffPage | null | undefined): void {
    this.root.hidden = text === "";
    setText(this.said, text);
    this.host.hidden = !diff;
    if (!diff) return;
    this.code ??= this.make(this.host);
    const { scrollTop } = this.code.scroller;
    this.code.show(new RowsSource(diff), "What the edit changes");
    this.code.scroller.scrollTop = scrollTop;
  }
}
