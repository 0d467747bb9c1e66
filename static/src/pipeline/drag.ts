// Dragging rows of the tree with the mouse. A line shows where the row will go.

import { h } from "../widgets/dom";
import type { Step } from "../store/model";
import type { At } from "../store/stepsedit";

const slop = 5;
// Tree is what dragging needs of the tree of passes.
interface Tree {
  readonly box: HTMLElement;
  // length is the number of rows, stepAt the step that a row shows or belongs to.
  readonly length: number;
  stepAt(row: number): Step | null;
}

const rowHeight = 24;

export interface DragListener {
  // start says whether a step may be moved.
  start(step: Step): boolean;
  // target returns where a step goes that is dropped behind a row, or before the first one, and how deep that is.
  target(after: Step | null, x: number): { at: At; depth: number } | null;
  drop(step: Step, at: At): void;
}

export class Drag {
  private readonly line = h("div", { class: "drop-line", "aria-hidden": "true" });
  private step: Step | null = null;
  private from = 0;
  private at: At | null = null;
  private moving = false;
  private pointer = { x: 0, y: 0 };

  constructor(private readonly tree: Tree, private readonly on: DragListener) {
    const { box } = tree;
    box.addEventListener("pointerdown", (e) => this.down(e));
    box.addEventListener("pointermove", (e) => this.move(e));
    box.addEventListener("pointerup", () => this.end(true));
    box.addEventListener("pointercancel", () => this.end(false));
    box.addEventListener("scroll", () => this.moving && this.show(), { passive: true });
    document.addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || !this.moving) return;
      e.preventDefault();
      this.end(false);
    });
    // The click that ends a drag selects nothing.
    box.addEventListener("click", (e) => {
      if (!box.classList.contains("dropped")) return;
      e.stopPropagation();
      box.classList.remove("dropped");
    }, { capture: true });
  }

  private down(e: PointerEvent): void {
    this.tree.box.classList.remove("dropped");
    const target = e.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-step]");
    // A finger scrolls the list; it has the buttons.
    if (e.button !== 0 || e.pointerType === "touch" || !row || target.closest(".tick, .twisty, button")) return;
    this.step = this.tree.stepAt(Number(row.dataset.i));
    this.from = e.clientY;
  }

  private move(e: PointerEvent): void {
    if (!this.step) return;
    if (e.buttons === 0) return this.end(false);
    this.pointer = { x: e.clientX, y: e.clientY };
    if (!this.moving) {
      if (Math.abs(e.clientY - this.from) < slop) return;
      if (!this.on.start(this.step)) return this.end(false);
      this.moving = true;
      this.tree.box.setPointerCapture(e.pointerId);
      this.tree.box.classList.add("dragging");
      (e.target as HTMLElement).closest("[data-i]")?.classList.add("dragged");
      this.tree.box.firstElementChild?.append(this.line);
    }
    this.scroll();
    this.show();
  }

  // scroll follows the pointer over the ends of the list.
  private scroll(): void {
    const { top, bottom } = this.tree.box.getBoundingClientRect();
    if (this.pointer.y < top + rowHeight) this.tree.box.scrollTop -= 8;
    else if (this.pointer.y > bottom - rowHeight) this.tree.box.scrollTop += 8;
  }

  // show draws the line between the rows next to the pointer.
  private show(): void {
    const { box, length } = this.tree;
    const frame = box.getBoundingClientRect();
    const i = Math.max(0, Math.min(length, Math.round((this.pointer.y - frame.top + box.scrollTop) / rowHeight)));
    const found = this.on.target(i > 0 ? this.tree.stepAt(i - 1) : null, this.pointer.x - frame.left);
    this.at = found?.at ?? null;
    this.line.hidden = !found;
    if (!found) return;
    this.line.style.top = `${i * rowHeight - 1}px`;
    this.line.style.setProperty("--depth", String(found.depth));
  }

  private end(drop: boolean): void {
    const { step, at, moving } = this;
    this.step = null;
    this.at = null;
    this.moving = false;
    if (!moving) return;
    this.line.remove();
    this.tree.box.classList.remove("dragging");
    this.tree.box.querySelector(".dragged")?.classList.remove("dragged");
    this.tree.box.classList.add("dropped");
    this.tree.box.focus();
    if (drop && step && at) this.on.drop(step, at);
  }
}
