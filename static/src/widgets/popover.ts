// A small panel beside a place of the page, which the rest of the page goes on around. It closes on Escape, when the reader goes on
// elsewhere, and when what it hangs from moves away.

import { h } from "./dom";

// Spot is where a panel hangs: a rectangle in the window.
export interface Spot {
  left: number;
  top: number;
  bottom: number;
}

const gap = 4;

// shown is the panel that is open: another one takes its place.
let shown: Popover | null = null;

// hidePopover closes the panel that is open.
export function hidePopover(): void {
  shown?.hide();
}

export class Popover {
  readonly root: HTMLElement;
  private home: HTMLElement | null = null;

  // closed is told when it closes. What scrolls closes it.
  constructor(id: string, private readonly scroller: HTMLElement, private readonly closed: () => void = () => undefined) {
    this.root = h("div", { class: "popover", id, role: "dialog", tabindex: -1, hidden: true });
    document.body.append(this.root);
    document.addEventListener("pointerdown", (e) => {
      if (this.open && !this.root.contains(e.target as Node)) this.hide();
    });
    document.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || e.defaultPrevented || !this.open) return;
      e.preventDefault();
      this.hide();
    }, true);
    scroller.addEventListener("scroll", () => this.hide(), { passive: true });
    addEventListener("resize", () => this.hide());
  }

  get open(): boolean {
    return !this.root.hidden;
  }

  // elsewhere tells that another panel is open, which the pointer alone must not close.
  get elsewhere(): boolean {
    return shown !== this && (shown?.open ?? false);
  }

  // show opens it at a spot. With a home it takes the focus, which goes back there when it closes.
  show(label: string, spot: Spot, content: (Node | null)[], home: HTMLElement | null): void {
    if (shown !== this) shown?.hide();
    shown = this;
    this.root.setAttribute("aria-label", label);
    this.root.replaceChildren(...content.filter((x) => x !== null));
    this.root.hidden = false;
    const { width, height } = this.root.getBoundingClientRect();
    const below = innerHeight - spot.bottom - gap;
    const top = height <= below || below >= spot.top ? spot.bottom + gap : spot.top - gap - height;
    this.root.style.left = `${Math.max(8, Math.min(spot.left, innerWidth - width - 8))}px`;
    this.root.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
    this.home = home;
    if (home) this.root.focus({ preventScroll: true });
  }

  hide(): void {
    if (!this.open) return;
    const inside = this.root.contains(document.activeElement);
    this.root.hidden = true;
    if (inside) (this.home ?? this.scroller).focus({ preventScroll: true });
    this.closed();
  }
}
