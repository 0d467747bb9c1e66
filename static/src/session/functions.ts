// The list of functions: those that the selected pass changed, all functions of the module, or the generated kernels.

import { signature } from "../store/counts";
import { delta } from "../widgets/delta";
import { h, setAttr, setText } from "../widgets/dom";
import type { Entry } from "../views/view";
import { Windowed } from "../widgets/windowed";

const rowHeight = 24;

export class FunctionList {
  readonly box: HTMLElement;
  entries: Entry[] = [];
  private readonly list: Windowed;
  private selected = "";
  private signature = "";

  constructor(host: HTMLElement, private readonly count: HTMLElement, private readonly on: { select(key: string): void }) {
    this.box = h("div", { class: "listbox", role: "listbox", tabindex: 0, "aria-label": "Functions" });
    host.append(this.box);
    this.list = new Windowed(this.box, { rowHeight, render: (i) => this.render(i) }, "none");
    this.box.addEventListener("click", (e) => {
      const row = (e.target as HTMLElement).closest<HTMLElement>("[data-i]");
      if (row) this.on.select(this.entries[Number(row.dataset.i)]!.key);
    });
    this.box.addEventListener("keydown", (e) => this.key(e));
  }

  update(entries: Entry[], selected: string, count: string): void {
    const looks = entries.map((x) => `${x.key} ${signature(x.lines)} ${x.note}`).join("\n");
    setText(this.count, count);
    const fresh = looks !== this.signature;
    if (!fresh && selected === this.selected) return;
    const left = this.selected;
    this.entries = entries;
    this.selected = selected;
    this.signature = looks;
    this.box.parentElement?.style.setProperty("--n", String(Math.min(40, entries.length)));
    if (fresh) this.list.reset(entries.length, 0);
    else this.list.redrawWhere((k) => entries[k]!.key === left || entries[k]!.key === selected);
    const i = entries.findIndex((x) => x.key === selected);
    if (i >= 0) this.list.show(i);
    setAttr(this.box, "aria-activedescendant", i >= 0 && this.list.element(i) ? `fn-${i}` : null);
  }

  private render(i: number): HTMLElement {
    const x = this.entries[i]!;
    return h(
      "div",
      { class: "fn", id: `fn-${i}`, role: "option", "data-i": i, "data-key": x.key, "aria-selected": String(x.key === this.selected), "aria-posinset": i + 1, "aria-setsize": this.entries.length },
      h("span", { class: "badge", title: x.badgeTitle }, x.badge),
      name(x.name),
      x.note ? h("span", { class: "fn-note" }, x.note) : null,
      x.lines ? delta(x.lines) : null,
    );
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || this.entries.length === 0) return;
    const i = this.entries.findIndex((x) => x.key === this.selected);
    const last = this.entries.length - 1;
    const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: last, PageDown: i + 10, PageUp: i - 10 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    this.on.select(this.entries[Math.max(0, Math.min(last, to))]!.key);
  }
}

// tail is how many characters at the end of a long name stay visible: kernels of one kind differ there.
const tail = 10;

function name(text: string): HTMLElement {
  const cut = text.length > 3 * tail ? text.length - tail : text.length;
  return h("span", { class: "name mono", title: text }, h("span", { class: "name-head" }, text.slice(0, cut)), cut < text.length ? h("span", {}, text.slice(cut)) : null);
}
