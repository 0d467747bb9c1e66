// The palette: a field in which a few letters find whatever there is to go to or to do, and the list of what they find.

import { fit } from "../store/match";
import { h, setAttr, setText } from "../widgets/dom";
import { lateStyle } from "../widgets/latestyle";

// Item is something to go to or to do.
export interface Item {
  // kind says what it is: "pass", "run", "action".
  kind: string;
  name: string;
  // beside says more about it; it is searched too.
  beside?: string | undefined;
  // key is the key that does the same without the palette.
  key?: string | undefined;
  // quiet leaves it out until something is asked for.
  quiet?: boolean;
  run(): void;
}

export interface Offer {
  // items are there at once, in an order for who has asked for nothing; later come when a request has been answered.
  items: Item[];
  later: Promise<Item[]>[];
  // always are items for whatever is asked for, below what it finds.
  always?(query: string): Item[];
}

// most is how many items are listed.
const most = 60;

let open: HTMLDialogElement | null = null;

// openPalette shows the palette over the page.
export async function openPalette(offer: Offer): Promise<void> {
  if (open) return;
  const made = new Palette(offer);
  open = made.dialog;
  await lateStyle();
  made.open();
}

class Palette {
  private readonly field = h("input", {
    class: "palette-field", id: "palette-field", type: "text", role: "combobox", placeholder: "Go to a pass, function, view, run… or do something", "aria-label": "Go to, or do",
    "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", autofocus: true,
  });
  private readonly list = h("div", { class: "palette-list", id: "palette-list", role: "listbox", "aria-label": "What was found" });
  private readonly count = h("span", { class: "quiet", role: "status" });
  readonly dialog = h("dialog", { class: "palette", id: "palette", "aria-label": "Palette" },
    this.field,
    this.list,
    h("p", { class: "palette-foot" }, this.count, h("span", { class: "grow" }), h("kbd", {}, "↑"), h("kbd", {}, "↓"), " choose ", h("kbd", {}, "Enter"), " do ", h("kbd", {}, "Esc"), " close"));
  private readonly all: Item[];
  private shown: Item[] = [];
  private marked = 0;

  constructor(private readonly offer: Offer) {
    this.all = [...offer.items];
    for (const items of offer.later) items.then((more) => this.add(more), () => undefined); // what is there is found all the same
    this.field.addEventListener("input", () => this.find());
    this.field.addEventListener("keydown", (e) => this.key(e));
    this.list.addEventListener("click", (e) => {
      const row = (e.target as Element).closest<HTMLElement>("[data-i]");
      if (row) this.run(Number(row.dataset.i));
    });
    // The page behind it must not take what is typed here.
    this.dialog.addEventListener("keydown", (e) => e.stopPropagation());
    this.dialog.addEventListener("click", (e) => {
      if (e.target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener("close", () => {
      this.dialog.remove();
      open = null;
    });
  }

  open(): void {
    document.body.append(this.dialog);
    this.find();
    this.dialog.showModal();
    this.field.focus();
  }

  private add(more: Item[]): void {
    this.all.push(...more);
    if (this.dialog.isConnected) this.find(this.shown[this.marked]);
  }

  // find lists what the query finds, best first. The item that was marked stays so where what is listed has only grown.
  private find(keep?: Item): void {
    const query = this.field.value.trim();
    const found: { item: Item; score: number; at: number[]; i: number }[] = [];
    this.all.forEach((item, i) => {
      if (!query && item.quiet) return;
      const f = fit(item.name, `${item.kind} ${item.beside ?? ""}`, query);
      if (f) found.push({ item, score: query ? f.score : 0, at: f.at, i });
    });
    found.sort((a, b) => a.score - b.score || a.i - b.i);
    const always = query ? (this.offer.always?.(query) ?? []) : [];
    const rows = [...found.slice(0, most), ...always.map((item) => ({ item, at: [] as number[] }))];
    this.shown = rows.map((x) => x.item);
    this.list.replaceChildren(...rows.map((x, i) => row(x.item, x.at, i)));
    setText(this.count, found.length > most ? `${most} of ${found.length}` : found.length === 0 ? "nothing has this name" : `${found.length} found`);
    this.mark(keep ? Math.max(0, this.shown.indexOf(keep)) : 0);
  }

  private mark(i: number): void {
    this.list.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    this.marked = Math.max(0, Math.min(this.shown.length - 1, i));
    const el = this.list.children[this.marked];
    el?.setAttribute("aria-selected", "true");
    el?.scrollIntoView({ block: "nearest" });
    setAttr(this.field, "aria-activedescendant", el ? el.id : null);
  }

  private key(e: KeyboardEvent): void {
    if (e.isComposing) return;
    const last = this.shown.length - 1;
    const to: Record<string, number> = {
      ArrowDown: this.marked === last ? 0 : this.marked + 1, ArrowUp: this.marked === 0 ? last : this.marked - 1, PageDown: this.marked + 10, PageUp: this.marked - 10,
    };
    const i = to[e.key];
    if (i !== undefined) this.mark(i);
    else if (e.key === "Enter") this.run(this.marked);
    else if (e.key.toLowerCase() === "k" && (e.ctrlKey || e.metaKey)) this.dialog.close();
    else return;
    e.preventDefault();
  }

  // run closes the palette first: what it does may open a dialog, or move the focus.
  private run(i: number): void {
    const item = this.shown[i];
    if (!item) return;
    this.dialog.close();
    item.run();
  }
}

function row(item: Item, at: number[], i: number): HTMLElement {
  return h("div", { class: "palette-row", role: "option", id: `palette-${i}`, "data-i": i, "aria-selected": "false" },
    h("span", { class: "palette-kind" }, item.kind),
    h("span", { class: "palette-name" }, ...lit(item.name, at)),
    item.beside ? h("span", { class: "palette-beside" }, item.beside) : null,
    item.key ? h("kbd", {}, item.key) : null);
}

// lit writes a name with what was matched in it marked.
function lit(name: string, at: number[]): (Node | string)[] {
  const out: (Node | string)[] = [];
  let from = 0;
  for (let k = 0; k < at.length;) {
    const start = at[k]!;
    let end = start + 1;
    while (at[++k] === end) end++;
    out.push(name.slice(from, start), h("mark", {}, name.slice(start, end)));
    from = end;
  }
  return [...out, name.slice(from)];
}
