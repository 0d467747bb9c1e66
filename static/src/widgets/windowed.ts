// A list of rows of which only those in view have elements. A list of 100,000 rows costs as much as one of 50. Rows have one height;
// where the list is told that they may be higher, each is measured when it has an element.

import { Heights } from "../store/heights";

// printed is how many rows go on paper at most.
const printed = 3000;

export interface WindowedOptions {
  rowHeight: number;
  // render makes the element of row i; remove is told when an element goes.
  render(i: number): HTMLElement;
  remove?(i: number): void;
  // shown is called after the window moved, with the range of rows that have elements.
  shown?(from: number, to: number): void;
  overscan?: number;
}

export class Windowed {
  readonly rows: HTMLElement;
  private readonly live = new Map<number, HTMLElement>();
  // pinned are rows that keep their elements out of view.
  private pinned: readonly number[] = [];
  private n = 0;
  // heights is there where rows have different heights.
  private heights: Heights | null = null;
  private measures = false;
  // What is known of the scroller, as of the last event: asking it would make the browser lay out the page each time.
  private top = 0;
  private height = 0;
  private printing = 0;

  constructor(readonly scroller: HTMLElement, private readonly o: WindowedOptions, role = "presentation") {
    this.rows = document.createElement("div");
    this.rows.className = "rows";
    this.rows.setAttribute("role", role);
    scroller.append(this.rows);
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(scroller);
    // A page on paper does not scroll: it has all rows, up to what a reader would turn over.
    addEventListener("beforeprint", () => this.print(printed));
    addEventListener("afterprint", () => this.print(0));
  }

  get count(): number {
    return this.n;
  }

  // visible tells whether the list has room on the page.
  get visible(): boolean {
    return this.height > 0;
  }

  // measure says whether rows may be higher than the height of a row. The row at the top stays there.
  measure(on: boolean): void {
    if (on === this.measures) return;
    this.measures = on;
    this.remeasure();
  }

  // remeasure forgets what was measured, as when the width has changed, or the height of a row. The row at the top stays there.
  remeasure(rowHeight = this.o.rowHeight): void {
    this.top = this.scroller.scrollTop; // a scroll of which the event is yet to come counts
    const first = this.rowAt(this.top);
    this.clear();
    this.o.rowHeight = rowHeight;
    this.fit();
    this.scrollTo(this.topOf(first));
    this.update();
  }

  // reset shows n rows anew, at the given distance from the top. The first kept rows are as high as they were.
  reset(n: number, scrollTop = this.top, kept = 0): void {
    this.clear();
    this.n = n;
    this.fit(kept);
    if (this.height === 0) this.height = this.scroller.clientHeight; // it has just been shown
    this.scrollTo(scrollTop);
    this.update();
  }

  // redraw makes the elements of the rows in [from, to) again.
  redraw(from = 0, to = this.n): void {
    this.redrawWhere((i) => i >= from && i < to);
  }

  // redrawWhere makes the elements of some rows again, with one look at the layout however many they are.
  redrawWhere(changed: (i: number, el: HTMLElement) => boolean): void {
    let any = false;
    for (const [i, el] of [...this.live]) {
      if (!changed(i, el)) continue;
      this.drop(i);
      any = true;
    }
    if (any) this.update();
  }

  // pin keeps the elements of some rows while they are out of view.
  pin(rows: readonly number[]): void {
    this.pinned = rows;
  }

  element(i: number): HTMLElement | undefined {
    return this.live.get(i);
  }

  window(): { first: number; last: number } {
    return { first: this.rowAt(this.top), last: Math.min(this.n, this.rowAt(this.top + this.height - 1) + 1) };
  }

  // show scrolls as little as needed to have row i in view; with top it puts the row near the top.
  show(i: number, top = false): void {
    const { first, last } = this.window();
    const h = this.o.rowHeight;
    if (top) this.scrollTo(this.topOf(i) - 3 * h);
    else if (i <= first) this.scrollTo(this.topOf(i) - h);
    else if (i >= last - 1) this.scrollTo(this.topOf(i + 1) + h - this.height);
    this.update();
  }

  private topOf(i: number): number {
    return this.heights ? this.heights.top(i) : i * this.o.rowHeight;
  }

  private rowAt(distance: number): number {
    return this.heights ? this.heights.at(distance) : Math.floor(distance / this.o.rowHeight);
  }

  // fit makes room for all rows, as far as their heights are known.
  private fit(kept = 0): void {
    this.heights = this.measures ? new Heights(this.n, this.o.rowHeight, this.heights ?? undefined, kept) : null;
    this.extend();
  }

  private extend(): void {
    this.rows.style.height = `${this.topOf(this.n)}px`;
  }

  private scrollTo(top: number): void {
    const to = Math.max(0, Math.min(top, this.topOf(this.n) - this.height));
    if (to === this.top) return;
    this.scroller.scrollTop = to;
    this.top = this.scroller.scrollTop;
  }

  private scrolled(): void {
    this.top = this.scroller.scrollTop;
    this.update();
  }

  private resized(): void {
    this.height = this.scroller.clientHeight;
    this.scrolled();
  }

  // print makes elements of the first n rows, whatever is in view; 0 goes back to those in view.
  private print(n: number): void {
    this.printing = n;
    this.update();
  }

  private update(): void {
    const over = this.o.overscan ?? 6;
    // Rows that turn out higher than they were thought to be leave fewer of them in view, never more: once is enough.
    const { first, last } = this.window();
    const from = this.printing ? 0 : Math.max(0, first - over);
    const to = Math.min(this.n, this.printing || last + over);
    for (const i of [...this.live.keys()]) if ((i < from || i >= to) && !this.pinned.includes(i)) this.drop(i);
    // From the last to the first, so that each goes before its successor and the order of elements is the order of rows: copying
    // a selection depends on it.
    let next = Math.min(...this.pinned.filter((i) => i >= to && this.live.has(i)));
    const made: number[] = [];
    for (let i = to - 1; i >= from; i--) {
      if (!this.live.has(i)) {
        const el = this.o.render(i);
        el.style.top = `${this.topOf(i)}px`;
        this.rows.insertBefore(el, this.live.get(next) ?? null);
        this.live.set(i, el);
        made.push(i);
      }
      next = i;
    }
    if (this.heights && made.length > 0) this.take(made, first);
    this.o.shown?.(from, to);
  }

  // take measures rows that were made, and moves what stands below them. What is at the top of the view stays there.
  private take(made: number[], first: number): void {
    const heights = this.heights!;
    const measured = made.map((i) => this.live.get(i)!.offsetHeight);
    let above = 0;
    let grown = 0;
    made.forEach((i, k) => {
      const by = heights.set(i, measured[k]!);
      grown += Math.abs(by);
      if (i < first) above += by;
    });
    if (grown === 0) return;
    this.extend();
    for (const [i, el] of this.live) el.style.top = `${this.topOf(i)}px`;
    if (above !== 0) {
      this.scroller.scrollTop = this.top + above;
      this.top = this.scroller.scrollTop;
    }
  }

  private drop(i: number): void {
    this.live.get(i)?.remove();
    this.live.delete(i);
    this.o.remove?.(i);
  }

  private clear(): void {
    for (const i of [...this.live.keys()]) this.drop(i);
  }
}
