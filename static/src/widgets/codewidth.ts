// The width of a view of code, in columns: how much of a line is in view, and whether its type has room beside it. The style sheet is
// told what it needs: the width of the view (--vw), how far it is scrolled to the side (--sx), and the columns of the longest line.

// Types stand in a column of their own: at 60 in wide views, at 52 in others, behind longer lines.
const typeColumn = 60;
const narrowColumn = 52;
const wide = 104;
const gap = 2;

// narrowView is the width in pixels below which a view is narrow.
const narrowView = 600;

export class CodeWidth {
  // visible is the number of columns of text in view.
  private visible = 80;
  private typesAt = typeColumn;
  private longest = 0;
  private sx = 0;
  private shape = { digits: 3, split: false, numbers: 1 };
  // narrow views show one number of a line, that of the later text where it has one.
  narrow = false;
  private readonly probe = document.createElement("span");

  // changed is called when other lines fit than before, with the height of a row.
  constructor(private readonly scroller: HTMLElement, private readonly changed: (row: number) => void) {
    this.probe.className = "code-probe";
    this.probe.setAttribute("aria-hidden", "true");
    this.probe.textContent = "0".repeat(100);
    scroller.append(this.probe);
    new ResizeObserver(() => this.measure()).observe(scroller);
    // Another font has another width.
    new ResizeObserver(() => this.measure()).observe(this.probe);
    scroller.addEventListener("scroll", () => this.follow(), { passive: true });
  }

  // begin is told what is shown: the digits of line numbers, whether two texts stand side by side, and how many numbers a row has.
  begin(digits: number, split: boolean, numbers: number): void {
    this.shape = { digits, split, numbers };
    this.longest = 0;
    this.set("--digits", String(digits));
    this.set("--columns", "0");
    this.fit();
  }

  // widen makes the rows wide enough for a line of n columns.
  widen(n: number): void {
    if (n <= this.longest) return;
    this.longest = n;
    this.set("--columns", String(n + 2));
  }

  // holds tells whether a line of n columns is all in view.
  holds(n: number): boolean {
    return n <= this.visible;
  }

  // holdsType tells whether a type of so many columns has room beside a line.
  holdsType(n: number, type: number): boolean {
    return Math.max(this.typesAt, n + gap) + type <= this.visible;
  }

  private measure(): void {
    const { visible, typesAt, narrow } = this;
    this.fit();
    if (visible !== this.visible || typesAt !== this.typesAt || narrow !== this.narrow) this.changed(this.probe.offsetHeight);
  }

  private fit(): void {
    const { digits, split } = this.shape;
    const view = this.scroller.clientWidth;
    const column = this.probe.getBoundingClientRect().width / 100;
    if (view === 0 || column === 0) return;
    this.set("--vw", `${view}px`);
    this.narrow = view < narrowView;
    const numbers = split || this.narrow ? 1 : this.shape.numbers;
    this.set("--numbers", String(numbers));
    this.set("--more", this.narrow ? "1" : "4");
    const text = split ? view / 2 - (digits + 3) * column : view - numbers * (digits + 3) * column;
    // A column is blank on the left.
    this.visible = Math.max(0, Math.floor(text / column) - 1);
    this.typesAt = this.visible >= wide ? typeColumn : narrowColumn;
    this.set("--types", `${this.typesAt + 1}ch`);
  }

  private follow(): void {
    const sx = this.scroller.scrollLeft;
    if (sx === this.sx) return;
    this.sx = sx;
    this.set("--sx", `${sx}px`);
  }

  private set(name: string, value: string): void {
    this.scroller.style.setProperty(name, value);
  }
}
