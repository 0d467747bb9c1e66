// The bar below the panes that says that the session is presented, on the page of the presenter and on those that follow.

import { lateStyle } from "../widgets/latestyle";
import { byId, h } from "../widgets/dom";

export class Bar {
  private readonly root: HTMLElement;

  constructor(kind: "presenting" | "following") {
    document.getElementById("stage")?.remove(); // of a presentation that has ended
    this.root = h("section", { class: `stage is-${kind}`, id: "stage", "aria-label": "Presentation", hidden: true });
    byId("notice").after(this.root);
  }

  // show replaces what the bar holds. The focus stays on the button that takes the place of the one that had it.
  show(...parts: HTMLElement[]): void {
    const held = this.root.contains(document.activeElement) ? document.activeElement!.id : "";
    this.root.replaceChildren(h("span", { class: "stage-sign", "aria-hidden": "true" }), ...parts);
    if (held) (document.getElementById(held) ?? this.root.querySelector("button"))?.focus();
    void lateStyle().then(() => (this.root.hidden = false), () => undefined);
  }

  hide(): void {
    const held = this.root.contains(document.activeElement);
    this.root.remove();
    if (held) byId("code").focus({ preventScroll: true });
  }
}
