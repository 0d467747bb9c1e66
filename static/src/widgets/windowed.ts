// A list of rows of one fixed height of which only those in view have elements. A list of 100,000 rows costs as much as one of 50.

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
  private n = 0;
  // What is known of the scroller, as of the last event: asking it would make the browser lay out the page each time.
  private top = 0;
  private height = 0;

  constructor(readonly scroller: HTMLElement, private readonly o: WindowedOptions, role = "presentation") {
    this.rows = document.createElement("div");
    this.rows.className = "rows";
    this.rows.setAttribute("role", role);
    scroller.append(this.rows);
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(scroller);
  }

  get count(): number {
    return this.n;
  }

  // reset shows n rows anew, at the given distance from the top.
  reset(n: number, scrollTop = this.top): void {
    this.clear();
    this.n = n;
    this.rows.style.height = `${n * this.o.rowHeight}px`;
    if (this.height === 0) this.height = this.scroller.clientHeight; // it has just been shown
    this.scrollTo(scrollTop);
    this.update();
  }

  // redraw makes the elements of the rows in [from, to) again.
  redraw(from = 0, to = this.n): void {
    this.redrawWhere((i) => i >= from && i < to);
  }

  // redrawWhere makes the elements of some rows again, with one look at the layout however many they are.
  redrawWhere(changed: (i: number) => boolean): void {
    let any = false;
    for (const i of [...this.live.keys()]) {
      if (!changed(i)) continue;
      this.drop(i);
      any = true;
    }
    if (any) this.update();
  }

  element(i: number): HTMLElement | undefined {
    return this.live.get(i);
  }

  window(): { first: number; last: number } {
    const first = Math.floor(this.top / this.o.rowHeight);
    return { first, last: Math.min(this.n, Math.ceil((this.top + this.height) / this.o.rowHeight)) };
  }

  // show scrolls as little as needed to have row i in view; with top it puts the row near the top.
  show(i: number, top = false): void {
    const { first, last } = this.window();
    const h = this.o.rowHeight;
    if (top) this.scrollTo((i - 3) * h);
    else if (i <= first) this.scrollTo((i - 1) * h);
    else if (i >= last - 1) this.scrollTo((i + 2) * h - this.height);
    this.update();
  }

  private scrollTo(top: number): void {
    const to = Math.max(0, Math.min(top, this.n * this.o.rowHeight - this.height));
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

  private update(): void {
    const over = this.o.overscan ?? 6;
    const { first, last } = this.window();
    const from = Math.max(0, first - over);
    const to = Math.min(this.n, last + over);
    for (const i of [...this.live.keys()]) if (i < from || i >= to) this.drop(i);
    // From the last to the first, so that each goes before its successor and the order of elements is the order of rows: copying
    // a selection depends on it.
    for (let i = to - 1; i >= from; i--) {
      if (this.live.has(i)) continue;
      const el = this.o.render(i);
      el.style.top = `${i * this.o.rowHeight}px`;
      this.rows.insertBefore(el, this.live.get(i + 1) ?? null);
      this.live.set(i, el);
    }
    this.o.shown?.(from, to);
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
