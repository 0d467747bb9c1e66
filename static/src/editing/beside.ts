// A pane beside the code in which something is written. The page goes on around it: passes are chosen, and the code is read. One is open
// at a time.

import { byId, h } from "../widgets/dom";

// crowded has no room for the code, an editor beside it, and the inspector.
const crowded = matchMedia("(min-width: 600px) and (max-width: 1679px)");

let current: Beside | null = null;

export class Beside {
  readonly root: HTMLElement;
  private from: Element | null = null;
  // alone tells that the inspector went for this pane.
  private alone = false;

  // closed is told when the pane closes.
  constructor(id: string, titled: string, private readonly closed: () => void, ...content: HTMLElement[]) {
    this.root = h("section", { class: "up beside", id, "aria-labelledby": titled, hidden: true }, ...content);
    byId("center").append(this.root);
    this.root.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented) return;
      e.preventDefault();
      this.close();
    });
  }

  get open(): boolean {
    return this.root.hasAttribute("open");
  }

  show(): void {
    if (this.open) return;
    current?.close();
    current = this;
    this.from = document.activeElement;
    this.root.hidden = false;
    this.root.setAttribute("open", "");
    byId("center").classList.add("has-beside");
    if (crowded.matches) this.leave(true);
  }

  // leave has the inspector go for this pane, or come back.
  private leave(alone: boolean): void {
    this.alone = alone;
    byId("center").dispatchEvent(new CustomEvent("beside", { detail: alone }));
  }

  close(): void {
    if (!this.open) return;
    const inside = this.root.contains(document.activeElement);
    this.root.hidden = true;
    this.root.removeAttribute("open");
    byId("center").classList.remove("has-beside");
    if (this.alone) this.leave(false);
    current = null;
    const back = this.from instanceof HTMLElement && this.from.isConnected && this.from.checkVisibility() ? this.from : byId("code");
    if (inside) {
      (document.activeElement as HTMLElement).blur(); // what is hidden keeps the focus, and takes keys, until the page is drawn
      back.focus({ preventScroll: true });
    }
    this.closed();
  }
}
